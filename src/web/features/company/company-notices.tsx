import { Button } from '#web/components/button.tsx';
import { withNote } from '#web/lib/phrases.ts';
import styles from './company-form.module.css';
import { labelOf, type TheirChange } from './company-form.ts';
import type { CompanyCheck } from './company-query.ts';
import { COMPANY_FORM_MESSAGES, TIMELINE_MESSAGES } from './words.ts';

/** The path of a company. A route passes it in. */
export type PathOf = (id: number) => string;

interface SimilarProps {
  readonly similar: CompanyCheck['similar'];
  readonly pathOf: PathOf;
  /** The button that saves the company all the same, and its press. */
  readonly button: string;
  readonly onSave: () => void;
}

/** Names companies of the same name. The server decides which of them may stand beside another. */
export function SimilarNotice({ similar, pathOf, button, onSave }: SimilarProps) {
  if (similar.length === 0) return null;
  const messages = COMPANY_FORM_MESSAGES.similar;
  return (
    <div className={styles.notice} role="status">
      <p>
        <strong>{messages.title}</strong>
      </p>
      <ul>
        {similar.map(({ id, company_name, address, archived }) => (
          <li key={id}>
            <bdi>{address === null ? company_name : withNote(company_name, address)}</bdi>
            {archived === 1 ? ` ${messages.archived}` : null}
            {/* A new tab, so that nothing entered is lost. With its opener it starts with a copy of this session. */}
            {/* biome-ignore lint/security/noBlankTarget: the link leads to our own page */}
            <a href={pathOf(id)} target="_blank" rel="opener" aria-label={messages.openOf(company_name)}>
              {messages.open}
            </a>
          </li>
        ))}
      </ul>
      <Button onClick={onSave}>{button}</Button>
    </div>
  );
}

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
          {messages.suppressed(suppressed.reason)}
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

interface ConflictProps {
  readonly theirs: readonly TheirChange[];
  /** The server's sentence: who changed the company, and when. */
  readonly message: string | undefined;
  readonly onLoad: () => void;
}

/** Shows the other person's values. This person's stay in the form until one of both is saved. */
export function ConflictNotice({ theirs, message, onLoad }: ConflictProps) {
  if (theirs.length === 0 && message === undefined) return null;
  const messages = COMPANY_FORM_MESSAGES.conflict;
  return (
    <div className={styles.notice} role="alert">
      <p>
        <strong>{message ?? messages.title}</strong>
      </p>
      <p>{messages.help}</p>
      <dl>
        {theirs.map(({ field, theirs: value }) => [
          <dt key={`${field} term`}>{labelOf(field)}</dt>,
          <dd key={field}>
            <bdi>{value === '' ? TIMELINE_MESSAGES.blank : value}</bdi>
          </dd>,
        ])}
      </dl>
      <Button onClick={onLoad}>{messages.load}</Button>
    </div>
  );
}
