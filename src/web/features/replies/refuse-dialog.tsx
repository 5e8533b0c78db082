import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import styles from '#web/components/dialog-body.module.css';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { REPLY_MESSAGES } from './words.ts';

interface Props {
  readonly company: string;
  readonly isBusy: boolean;
  readonly onRefuse: () => void;
  readonly onClose: () => void;
}

/** Asks before a company that answered gets no mail any more. */
export function RefuseDialog({ company, isBusy, onRefuse, onClose }: Props) {
  const { refusing, acts } = REPLY_MESSAGES;
  return (
    <Dialog title={refusing.title} onClose={() => !isBusy && onClose()}>
      <p className={styles.question}>{refusing.question(company)}</p>
      <p className={styles.consequence}>{refusing.consequence}</p>
      <div className={styles.buttons}>
        <Button busy={isBusy} onClick={onClose} data-autofocus>
          {COMMON_MESSAGES.actions.cancel}
        </Button>
        <Button variant="primary" busy={isBusy} onClick={onRefuse}>
          {acts.refuse}
        </Button>
      </div>
    </Dialog>
  );
}
