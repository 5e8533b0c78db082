import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { Button } from '../button.tsx';
import { Dialog } from './dialog.tsx';
import styles from './dialog-body.module.css';
import { DialogFoot } from './dialog-foot.tsx';

interface Props {
  readonly title: string;
  readonly question: string;
  readonly stay: string;
  readonly discard: string;
  readonly onStay: () => void;
  readonly onDiscard: () => void;
}

/** Asks before unsaved text is discarded. */
export function AskDialog({ title, question, stay, discard, onStay, onDiscard }: Props) {
  return (
    <Dialog title={title} onClose={onStay}>
      <p className={styles.question}>{question}</p>
      <p className={styles.consequence}>{COMMON_MESSAGES.unsavedChanges.consequence}</p>
      <DialogFoot
        stay={
          <Button onClick={onStay} data-autofocus>
            {stay}
          </Button>
        }
        act={
          <Button variant="danger" onClick={onDiscard}>
            {discard}
          </Button>
        }
      />
    </Dialog>
  );
}
