import type { Import } from '#contract/import.ts';
import { formatSecond } from '#domain/tokyo-time.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import styles from '#web/components/dialog-body.module.css';
import { serverNow } from '#web/lib/server-clock.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import own from './run-step.module.css';
import { postUndo, useAct } from './use-act.ts';
import { RUN_MESSAGES } from './words.ts';

/** Whether an import can still be undone. */
export const canUndo = ({ state, undo_until: until }: Pick<Import, 'state' | 'undo_until'>): boolean =>
  state === 'imported' && until !== null && until > formatSecond(serverNow());

interface Props {
  readonly id: number;
  readonly counts: NonNullable<Import['counts']>;
  readonly onClose: () => void;
}

/** Asks before an import is undone, with the numbers. */
export function UndoDialog({ id, counts, onClose }: Props) {
  const { busy, fault, act } = useAct(id);
  const { title, question, consequence, button } = RUN_MESSAGES.undoDialog;
  return (
    <Dialog title={title} onClose={() => !busy && onClose()}>
      <p className={styles.question}>{question(counts.added, counts.updated)}</p>
      <p className={styles.consequence}>{consequence}</p>
      {fault === null ? null : (
        <p role="alert" className={own.fault}>
          {fault}
        </p>
      )}
      <div className={styles.buttons}>
        <Button busy={busy} onClick={onClose} data-autofocus>
          {COMMON_MESSAGES.actions.cancel}
        </Button>
        <Button variant="danger" busy={busy} onClick={() => void act(postUndo(id), id, onClose)}>
          {button}
        </Button>
      </div>
    </Dialog>
  );
}
