import type { MailTemplate } from '#contract/mail-templates.ts';
import { Button } from '#web/components/button.tsx';
import { keyText } from '#web/lib/keys.ts';
import { withNote } from '#web/lib/phrases.ts';
import { minuteWithWeekday } from '#web/lib/with-weekday.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './mail-template.module.css';
import { TEMPLATE_MESSAGES } from './words.ts';

interface Props {
  readonly template: MailTemplate;
  readonly dirty: boolean;
  readonly busy: boolean;
  readonly isTesting: boolean;
  readonly onHistory: () => void;
  readonly onTest: () => void;
  readonly onDiscard: () => void;
  readonly onSave: () => void;
}

/** What can be done with a template, with its last change. On phones the save button stays at the bottom. */
export function TemplateBar({ template, dirty, busy, isTesting, onHistory, onTest, onDiscard, onSave }: Props) {
  return (
    <div className={styles.bar}>
      <p className={styles.state} role="status">
        {dirty
          ? TEMPLATE_MESSAGES.unsaved
          : TEMPLATE_MESSAGES.savedBy(minuteWithWeekday(template.updated_at), template.updated_by)}
      </p>
      <Button onClick={onHistory}>{TEMPLATE_MESSAGES.history}</Button>
      <Button busy={isTesting} onClick={onTest}>
        {TEMPLATE_MESSAGES.testSend}
      </Button>
      <Button disabled={!dirty} onClick={onDiscard}>
        {TEMPLATE_MESSAGES.discard}
      </Button>
      <div className={styles.save} data-page-action>
        <Button
          variant="primary"
          busy={busy}
          disabled={!dirty}
          title={withNote(COMMON_MESSAGES.actions.save, keyText('save').shown)}
          aria-keyshortcuts={keyText('save').aria}
          onClick={onSave}
        >
          {COMMON_MESSAGES.actions.save}
        </Button>
      </div>
    </div>
  );
}
