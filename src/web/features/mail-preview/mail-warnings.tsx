import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { MailWarning } from '#contract/mail-preview.ts';
import { MAIL_PREVIEW_WORDS } from '#web/lib/mail-preview-words.ts';
import styles from './mail-preview.module.css';
import { warningText } from './warning-text.ts';

const words = MAIL_PREVIEW_WORDS;

/** What to look at before sending; above the mail, because it is read first. */
export function MailWarnings({ warnings }: { readonly warnings: readonly MailWarning[] }) {
  if (warnings.length === 0) {
    return (
      <p className={styles.fine}>
        <IconCheck size={16} aria-hidden /> {words.noWarnings}
      </p>
    );
  }
  return (
    <ul className={styles.warnings} aria-label={words.warnings}>
      {warnings.map((warning) => (
        <li key={`${warning.kind} ${warning.text}`}>
          <IconAlertTriangle size={16} aria-hidden /> <span>{warningText(warning)}</span>
        </li>
      ))}
    </ul>
  );
}
