import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { MailWarning } from '#contract/mail-preview.ts';
import styles from './mail-preview.module.css';
import { warningText } from './warning-text.ts';
import { MAIL_PREVIEW_MESSAGES } from './words.ts';

const messages = MAIL_PREVIEW_MESSAGES;

/** Lists what to check before sending. It stands above the mail, because it is read first. */
export function MailWarnings({ warnings }: { readonly warnings: readonly MailWarning[] }) {
  if (warnings.length === 0) {
    return (
      <p className={styles.fine}>
        <IconCheck size={16} aria-hidden /> {messages.noWarnings}
      </p>
    );
  }
  return (
    <ul className={styles.warnings} aria-label={messages.warnings}>
      {warnings.map((warning) => (
        <li key={`${warning.kind} ${warning.text}`}>
          <IconAlertTriangle size={16} aria-hidden /> <span>{warningText(warning)}</span>
        </li>
      ))}
    </ul>
  );
}
