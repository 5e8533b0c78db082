import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { MailWarning } from '#contract/mail-preview.ts';
import type { LegalFault } from '#domain/legal-profile.ts';
import { asMessage } from '#web/lib/phrases.ts';
import styles from './mail-preview.module.css';
import { warningText } from './warning-text.ts';
import { MAIL_PREVIEW_MESSAGES } from './words.ts';

const messages = MAIL_PREVIEW_MESSAGES;

interface Props {
  readonly warnings: readonly MailWarning[];
  /** What the law asks the mails to show. */
  readonly legalFaults?: readonly LegalFault[] | undefined;
}

/** Lists what to check before sending. It stands above the mail, because it is read first. */
export function MailWarnings({ warnings, legalFaults = [] }: Props) {
  if (warnings.length === 0 && legalFaults.length === 0) {
    return (
      <p className={styles.fine}>
        <IconCheck size={16} aria-hidden /> {messages.noWarnings}
      </p>
    );
  }
  return (
    <ul className={styles.warnings} aria-label={messages.warnings}>
      {legalFaults.map(({ path, message }) => (
        <li key={`${path} ${message}`}>
          <IconAlertTriangle size={16} aria-hidden /> <span>{asMessage(message)}</span>
        </li>
      ))}
      {warnings.map((warning) => (
        <li key={`${warning.kind} ${warning.text}`}>
          <IconAlertTriangle size={16} aria-hidden /> <span>{warningText(warning)}</span>
        </li>
      ))}
    </ul>
  );
}
