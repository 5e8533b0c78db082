import { Button } from '#web/components/button.tsx';
import styles from './mail-template.module.css';
import { TEMPLATE_MESSAGES } from './words.ts';

interface Props {
  readonly onLoad: () => void;
  readonly onOverwrite: () => void;
}

/** Asks whoever saves second which of two versions to keep. */
export function ConflictNotice({ onLoad, onOverwrite }: Props) {
  const messages = TEMPLATE_MESSAGES.conflict;
  return (
    <div className={styles.conflict} role="alert">
      <p>
        <strong>{messages.title}</strong>
      </p>
      <p>{messages.help}</p>
      <div className={styles.answers}>
        <Button onClick={onLoad}>{messages.load}</Button>
        <Button onClick={onOverwrite}>{messages.overwrite}</Button>
      </div>
    </div>
  );
}
