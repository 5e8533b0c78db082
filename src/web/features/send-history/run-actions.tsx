import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Run } from '#contract/sending.ts';
import { Button } from '#web/components/button.tsx';
import { type Action, cancelRun, pauseRun, resumeRun, retryFailed } from './actions.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { reloadRun } from './reload-run.ts';
import styles from './send-history.module.css';

/** Returns the actions that a run allows in its state. */
function actionsOf(run: Run): Action[] {
  return [
    ...(run.finished ? [] : [run.paused_by === null ? pauseRun(run) : resumeRun(run), cancelRun(run)]),
    ...(run.failed > 0 ? [retryFailed(run)] : []),
  ];
}

export function RunActions({ run }: { readonly run: Run }) {
  const [asked, setAsked] = useState<Action | null>(null);
  const client = useQueryClient();
  return (
    <div className={styles.actions}>
      {actionsOf(run).map((action) => (
        <Button key={action.button} onClick={() => setAsked(action)}>
          {action.button}
        </Button>
      ))}
      {asked === null ? null : (
        <ConfirmDialog action={asked} onClose={() => setAsked(null)} onChanged={() => reloadRun(client, run.id)} />
      )}
    </div>
  );
}
