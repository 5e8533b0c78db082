import IconCircleCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs';
import IconCircleX from '@tabler/icons-react/dist/esm/icons/IconCircleX.mjs';
import { withWeekday } from '#web/lib/with-weekday.ts';
import { missingItems } from './legal-items.ts';
import styles from './legal-profile.module.css';
import type { LegalRow } from './legal-query.ts';
import { LEGAL_MESSAGES } from './words.ts';

const { state: messages, items } = LEGAL_MESSAGES;

interface Props {
  readonly row: LegalRow;
  readonly dirty: boolean;
}

/** Says whether the stored profile lets real mails leave, and what is missing. */
export function LegalState({ row, dirty }: Props) {
  const missing = missingItems(row.faults);
  const isReady = row.ready === 1;
  const Icon = isReady ? IconCircleCheck : IconCircleX;
  const { confirmed_at, confirmed_by } = row;
  return (
    <div className={styles.state} role="status" aria-label={messages.label} data-ready={isReady || undefined}>
      <Icon size={18} aria-hidden />
      <p>
        <strong>{isReady ? messages.ready : messages.incomplete(missing.map((item) => items[item]))}</strong>
        {isReady ? null : <span>{messages.tests}</span>}
        {confirmed_at === null ? null : (
          <span className={styles.dim}>
            {confirmed_by === null
              ? messages.confirmedAt(withWeekday(confirmed_at))
              : messages.confirmedBy(confirmed_by, withWeekday(confirmed_at))}
          </span>
        )}
        {dirty ? <span className={styles.unsaved}>{messages.unsaved}</span> : null}
      </p>
    </div>
  );
}
