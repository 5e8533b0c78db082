import { Button } from '#web/components/button.tsx';
import styles from './company-form.module.css';
import { labelOf, type TheirChange } from './company-form.ts';
import { COMPANY_FORM_MESSAGES, TIMELINE_MESSAGES } from './words.ts';

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
