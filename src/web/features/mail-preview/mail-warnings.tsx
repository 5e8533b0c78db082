import type { MailWarning } from '#contract/sending/mail-preview.ts';
import type { LegalFault } from '#domain/law/profile.ts';
import { type Check, CheckList } from '#web/components/field/check-list.tsx';
import { asMessage } from '#web/lib/phrases.ts';
import styles from './mail-preview.module.css';
import { useLabels, warningText } from './warning-text.ts';
import { MAIL_PREVIEW_MESSAGES } from './words.ts';

const messages = MAIL_PREVIEW_MESSAGES;

/** Excludes the server's missing address, which is no fault of a mail: the send dialog shows it once. */
const isOfMail = ({ code, level }: LegalFault): boolean => level === 'error' || code !== 'L8';

interface Props {
  readonly warnings: readonly MailWarning[];
  /** Errors in what the law requires mails to show. */
  readonly legalFaults?: readonly LegalFault[] | undefined;
}

/** Lists what to check before sending. It stands above the mail, so that it is read first. */
export function MailWarnings({ warnings, legalFaults = [] }: Props) {
  const labels = useLabels(warnings);
  const texts = [
    ...legalFaults.filter(isOfMail).map(({ message }) => asMessage(message)),
    ...warnings.map((warning) => warningText(warning, labels)),
  ];
  const checks = texts.map((text): Check => ({ kind: 'warning', text }));
  const fine: Check = { kind: 'fine', text: messages.noWarnings };
  return (
    <div className={styles.warnings}>
      <CheckList label={messages.warnings} checks={warnings.length === 0 ? [fine, ...checks] : checks} />
    </div>
  );
}
