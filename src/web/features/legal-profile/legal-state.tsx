import { Notice } from '#web/components/notice.tsx';
import { withWeekday } from '#web/lib/with-weekday.ts';
import styles from './legal-profile.module.css';
import type { LegalFault, LegalRow } from './legal-query.ts';
import { LEGAL_MESSAGES } from './words.ts';

/** What a real mail needs of a profile, with the rule that finds it missing. The basis always has a value. */
const ITEM_RULES = {
  official_name: 'L1',
  postal_address: 'L2',
  contact: 'L3',
  refusal: 'L8',
  basis: null,
  confirmed: 'L4',
} as const;

type LegalItem = keyof typeof ITEM_RULES;

const { state: messages, items } = LEGAL_MESSAGES;

interface Props {
  readonly row: LegalRow;
  readonly dirty: boolean;
  /** Somebody has saved it. */
  readonly isTouched: boolean;
}

/** Says whether the stored profile lets real mails leave, and what is missing. */
export function LegalState({ row, dirty, isTouched }: Props) {
  const missing = missingItems(row.faults);
  const isReady = row.ready === 1;
  const { confirmed_at, confirmed_by } = row;
  return (
    <Notice tone={isReady ? 'good' : isTouched ? 'bad' : 'plain'} role="status" aria-label={messages.label}>
      <p className={styles.state}>
        <strong>{isReady ? messages.ready : messages.incomplete(missing.map((item) => items[item]))}</strong>
        {isReady ? null : <span>{messages.tests}</span>}
        {confirmed_at === null ? null : (
          <span>
            {confirmed_by === null
              ? messages.confirmedAt(withWeekday(confirmed_at))
              : messages.confirmedBy(confirmed_by, withWeekday(confirmed_at))}
          </span>
        )}
        {dirty ? <span className={styles.unsaved}>{messages.unsaved}</span> : null}
      </p>
    </Notice>
  );
}

const LEGAL_ITEMS = Object.keys(ITEM_RULES) as LegalItem[];

/** Returns the parts that are missing. */
const missingItems = (faults: readonly LegalFault[]): LegalItem[] =>
  LEGAL_ITEMS.filter((item) => faults.some(({ code, level }) => level === 'error' && code === ITEM_RULES[item]));
