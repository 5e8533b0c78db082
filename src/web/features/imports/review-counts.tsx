import type { ImportReview } from '#contract/imports.ts';
import { withNote } from '#web/lib/phrases.ts';
import styles from './review.module.css';
import { REVIEW_MESSAGES } from './words.ts';

type CountName = keyof typeof REVIEW_MESSAGES.counts;

const ALWAYS: readonly CountName[] = ['added', 'updated', 'unchanged', 'refused'];
const IF_ANY: readonly CountName[] = ['repeated', 'blanked', 'closed', 'suppressed', 'archived'];
const UNITS: Readonly<Partial<Record<CountName, (value: number) => string>>> = {
  refused: REVIEW_MESSAGES.rows,
  repeated: REVIEW_MESSAGES.rows,
  closed: REVIEW_MESSAGES.rows,
  blanked: REVIEW_MESSAGES.cells,
};

/** How many companies and rows a check has found of each kind. */
export function ReviewCounts({ review }: { readonly review: ImportReview }) {
  const { counts, companies, noteOf, label } = REVIEW_MESSAGES;
  const shown = [...ALWAYS, ...IF_ANY.filter((name) => review[name] > 0)];
  return (
    <dl className={styles.counts} aria-label={label}>
      {shown.map((name) => {
        const value = (UNITS[name] ?? companies)(review[name]);
        const note = name === 'suppressed' || name === 'archived' ? noteOf[name] : undefined;
        return (
          <div key={name} data-kind={name}>
            <dt>{counts[name]}</dt>
            <dd>{note === undefined ? value : withNote(value, note)}</dd>
          </div>
        );
      })}
    </dl>
  );
}
