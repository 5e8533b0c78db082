import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import styles from '#web/components/dialog/dialog-body.module.css';
import { DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { useNavigate } from '#web/lib/router/use-router.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import type { Action } from './actions.ts';

interface Props {
  readonly action: Action;
  readonly onClose: () => void;
  /** The shown data are outdated: this action or somebody else has changed them. */
  readonly onChanged: () => void;
}

/** HTTP statuses for a run or mail that does not exist, or was already decided. */
const OUTDATED_STATUSES = [404, 409];

/** Asks before an action. After a lost connection it stays open for a retry. */
export function ConfirmDialog({ action, onClose, onChanged }: Props) {
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);

  async function confirm(): Promise<void> {
    setBusy(true);
    const failure = await action.perform(navigate);
    setBusy(false);
    if (failure !== null && failure.status !== 401) toast('warning', failure.message);
    if (failure !== null && !OUTDATED_STATUSES.includes(failure.status)) return;
    onChanged();
    onClose();
  }

  return (
    <Dialog title={action.title} onClose={() => !busy && onClose()}>
      <p className={styles.consequence}>{action.consequence}</p>
      <p className={styles.question}>{action.question}</p>
      <DialogFoot
        stay={
          <Button busy={busy} onClick={onClose} data-autofocus>
            {action.stay ?? COMMON_MESSAGES.actions.cancel}
          </Button>
        }
        act={
          <Button variant={action.isFinal ? 'danger' : 'primary'} busy={busy} onClick={() => void confirm()}>
            {action.confirm ?? action.button}
          </Button>
        }
      />
    </Dialog>
  );
}
