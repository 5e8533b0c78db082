import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import dialog from '#web/components/dialog-body.module.css';
import type { Conversion } from './convert.ts';
import styles from './mail-template.module.css';
import { CONVERSION_MESSAGES as messages } from './words.ts';

interface Props {
  readonly conversion: Conversion;
  readonly onStay: () => void;
  readonly onGo: () => void;
}

/** Asks before a change of the editor loses something, and lists the losses. */
export function ConversionDialog({ conversion: { to, losses }, onStay, onGo }: Props) {
  return (
    <Dialog title={messages.title[to]} onClose={onStay}>
      <p className={dialog.question}>{messages.question[to]}</p>
      {to === 'text' ? null : (
        <ul className={styles.losses}>
          {losses.map((loss) => (
            <li key={loss}>{messages.losses[loss]}</li>
          ))}
        </ul>
      )}
      <p className={dialog.consequence}>{messages.consequence}</p>
      <div className={dialog.buttons}>
        <Button data-autofocus onClick={onStay}>
          {messages.stay[to]}
        </Button>
        <Button variant="primary" onClick={onGo}>
          {messages.go[to]}
        </Button>
      </div>
    </Dialog>
  );
}
