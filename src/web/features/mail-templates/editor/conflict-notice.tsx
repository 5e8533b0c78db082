import type { MailTemplate } from '#contract/mail-templates.ts';
import { Button } from '#web/components/button.tsx';
import { minuteWithWeekday } from '#web/lib/with-weekday.ts';
import styles from './mail-template.module.css';
import { TEMPLATE_MESSAGES } from './words.ts';

interface Props {
  /** The template as it was saved meanwhile. */
  readonly template: MailTemplate;
  readonly onCompare: () => void;
  readonly onLoad: () => void;
  readonly onOverwrite: () => void;
}

/** Shows who saved another version meanwhile, and asks which of the two to keep. */
export function ConflictNotice({ template: { updated_at, updated_by }, onCompare, onLoad, onOverwrite }: Props) {
  const messages = TEMPLATE_MESSAGES.conflict;
  return (
    <div className={styles.conflict} role="alert">
      <p>
        <strong>
          {updated_by === null ? messages.title : messages.titleBy(updated_by, minuteWithWeekday(updated_at))}
        </strong>
      </p>
      <p>{messages.help}</p>
      <div className={styles.answers}>
        <Button onClick={onCompare}>{messages.difference}</Button>
        <Button onClick={onLoad}>{messages.load}</Button>
        <Button onClick={onOverwrite}>{messages.overwrite}</Button>
      </div>
    </div>
  );
}
