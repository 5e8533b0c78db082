import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import styles from './dialog-body.module.css';

interface Props {
  readonly title: string;
  readonly question: string;
  readonly stay: string;
  readonly lose: string;
  readonly onStay: () => void;
  readonly onLose: () => void;
}

/** Asks before what was typed is lost. */
export function AskDialog({ title, question, stay, lose, onStay, onLose }: Props) {
  return (
    <Dialog title={title} onClose={onStay}>
      <p className={styles.question}>{question}</p>
      <p className={styles.consequence}>{COMMON_MESSAGES.unsavedChanges.consequence}</p>
      <div className={styles.buttons}>
        <Button onClick={onStay} data-autofocus>
          {stay}
        </Button>
        <Button variant="danger" onClick={onLose}>
          {lose}
        </Button>
      </div>
    </Dialog>
  );
}
