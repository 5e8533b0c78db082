import type { CompanyCheck } from './company-check.ts';
import styles from './company-form.module.css';
import { SuppressionReply, suppressionText } from './suppression-reply.tsx';
import { COMPANY_FORM_MESSAGES } from './words.ts';

/** Shows whether the address is suppressed, and who else has it. */
export function EmailNotes({ check }: { readonly check: CompanyCheck | undefined }) {
  if (check === undefined) return null;
  const { suppressed, sharing, sharing_total } = check;
  const [first] = sharing;
  const messages = COMPANY_FORM_MESSAGES;
  return (
    <div role="status">
      {suppressed === null ? null : (
        <p className={styles.note} data-warning>
          {messages.suppressed(suppressionText(suppressed))}
          <SuppressionReply suppressed={suppressed} />
        </p>
      )}
      {first === undefined ? null : (
        <p className={styles.note}>
          {sharing_total === 1
            ? messages.sharing(first.company_name)
            : messages.sharingMany(first.company_name, sharing_total - 1)}
        </p>
      )}
    </div>
  );
}

const AFFECTED = ['reserved', 'queued', 'sending', 'failed'] as const;

/** Shows how many mails a change of the address affects, by their state. */
export function AffectedMails({ affected }: Pick<CompanyCheck, 'affected'>) {
  const { title, ...messages } = COMPANY_FORM_MESSAGES.affected;
  const lines = AFFECTED.filter((state) => affected[state] > 0);
  if (lines.length === 0) return null;
  return (
    <div className={styles.affected} role="status">
      <strong>{title}</strong>
      <ul>
        {lines.map((state) => (
          <li key={state}>{messages[state](affected[state])}</li>
        ))}
      </ul>
    </div>
  );
}
