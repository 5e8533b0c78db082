import { Button } from '#web/components/button.tsx';
import { withNote } from '#web/lib/phrases.ts';
import type { CompanyCheck } from './company-check.ts';
import styles from './company-form.module.css';
import type { PathOf } from './company-link.ts';
import { COMPANY_FORM_MESSAGES } from './words.ts';

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
