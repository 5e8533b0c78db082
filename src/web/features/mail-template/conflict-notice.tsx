import { Button } from '#web/components/button.tsx';
import { TEMPLATE_WORDS } from '#web/lib/template-words.ts';
import styles from './mail-template.module.css';

interface Props {
  readonly onLoad: () => void;
  readonly onOverwrite: () => void;
}

/** Two tabs, or two people: whoever comes second decides, with both versions still there. */
export function ConflictNotice({ onLoad, onOverwrite }: Props) {
  const words = TEMPLATE_WORDS.conflict;
  return (
    <div className={styles.conflict} role="alert">
      <p>
        <strong>{words.title}</strong>
      </p>
      <p>{words.help}</p>
      <div className={styles.answers}>
        <Button onClick={onLoad}>{words.load}</Button>
        <Button onClick={onOverwrite}>{words.overwrite}</Button>
      </div>
    </div>
  );
}
