import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import styles from '#web/components/dialog-body.module.css';
import { TEMPLATE_WORDS } from '#web/lib/template-words.ts';

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
      <p className={styles.consequence}>{TEMPLATE_WORDS.consequence}</p>
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
