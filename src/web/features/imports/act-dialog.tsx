import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import styles from '#web/components/dialog-body.module.css';
import { Notice } from '#web/components/notice.tsx';
import type { ApiResult } from '#web/lib/call.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { useAct } from './use-act.ts';

interface Props {
  readonly id: number;
  readonly title: string;
  readonly question: string;
  readonly consequence: string;
  readonly button: string;
  readonly send: () => Promise<ApiResult<unknown>>;
  /** Is called after the act, before the dialog closes. */
  readonly onDone?: () => void;
  readonly onClose: () => void;
}

/** Asks before an act on an import. A refusal is shown in the dialog, which stays open. */
export function ActDialog({ id, title, question, consequence, button, send, onDone, onClose }: Props) {
  const { busy, fault, act } = useAct(id);
  const done = () => {
    onDone?.();
    onClose();
  };
  return (
    <Dialog title={title} onClose={() => !busy && onClose()}>
      <p className={styles.question}>{question}</p>
      <p className={styles.consequence}>{consequence}</p>
      {fault === null ? null : (
        <Notice tone="bad" role="alert">
          {fault}
        </Notice>
      )}
      <div className={styles.buttons}>
        <Button busy={busy} onClick={onClose} data-autofocus>
          {COMMON_MESSAGES.actions.cancel}
        </Button>
        <Button variant="danger" busy={busy} onClick={() => void act(send, id, done)}>
          {button}
        </Button>
      </div>
    </Dialog>
  );
}
