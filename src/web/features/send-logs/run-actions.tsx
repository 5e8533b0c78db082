import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Run } from '#contract/runs.ts';
import { Button } from '#web/components/button.tsx';
import { Menu } from '#web/components/menu.tsx';
import { type Action, cancelRun, pauseRun, resumeRun, retryFailed } from './actions.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { reloadRun } from './reload-run.ts';
import styles from './send-history.module.css';
import { HISTORY_MESSAGES } from './words.ts';

interface Props {
  readonly run: Run;
  /** Further entries of the menu. */
  readonly menu: ReactNode;
  /** Further acts, before the menu. */
  readonly children?: ReactNode;
}

/** The actions that a run allows in its state. Those on an open run are buttons, the others are in a menu. */
export function RunActions({ run, menu, children }: Props) {
  const [asked, setAsked] = useState<Action | null>(null);
  const client = useQueryClient();
  const steps = run.finished ? [] : [run.paused_by === null ? pauseRun(run) : resumeRun(run), cancelRun(run)];
  return (
    <>
      {steps.map((action) => (
        <Button key={action.button} onClick={() => setAsked(action)}>
          {action.button}
        </Button>
      ))}
      {children}
      <Menu
        className={styles.more}
        label={
          <>
            <IconDots size={20} aria-hidden />
            <span className="visually-hidden">{HISTORY_MESSAGES.more}</span>
          </>
        }
      >
        {run.failed > 0 && run.archived === 0 ? (
          <button type="button" onClick={() => setAsked(retryFailed(run))}>
            {HISTORY_MESSAGES.retry.button}
          </button>
        ) : null}
        {menu}
      </Menu>
      {asked === null ? null : (
        <ConfirmDialog action={asked} onClose={() => setAsked(null)} onChanged={() => reloadRun(client, run.id)} />
      )}
    </>
  );
}
