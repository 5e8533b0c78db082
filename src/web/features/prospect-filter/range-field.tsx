import { useId } from 'react';
import type { RangeField as RangeName } from '#web/lib/list-params.ts';
import { inBrackets } from '#web/lib/phrase-words.ts';
import { WORDS } from '#web/lib/words.ts';
import type { FilterDraft, FilterField } from './filter-draft.ts';
import styles from './range-field.module.css';

interface Props {
  readonly field: RangeName;
  readonly draft: FilterDraft;
  readonly faults: ReadonlySet<FilterField>;
  readonly onChange: (field: FilterField, value: string) => void;
}

/** A range by its two bounds, both exclusive. */
export function RangeField({ field, draft, faults, onChange }: Props) {
  const noteId = useId();
  const label = WORDS.filter.fields[field];
  const from = `${field}_from` as const;
  const to = `${field}_to` as const;
  const wrong = faults.has(from) || faults.has(to);

  const bound = (name: typeof from | typeof to, boundLabel: string) => (
    <input
      type="text"
      className={styles.input}
      aria-label={boundLabel}
      aria-invalid={faults.has(name) || undefined}
      aria-describedby={faults.has(name) ? noteId : undefined}
      autoComplete="off"
      maxLength={64}
      value={draft[name] ?? ''}
      onChange={(event) => onChange(name, event.target.value)}
    />
  );

  return (
    <fieldset className={styles.range}>
      <legend className={styles.legend}>
        {label}
        <span className={styles.unit}>{inBrackets(WORDS.filter.units[field])}</span>
      </legend>
      <div className={styles.bounds}>
        {bound(from, WORDS.filter.from(label))}
        <span className={styles.between}>{WORDS.filter.above}</span>
        {bound(to, WORDS.filter.to(label))}
        <span className={styles.between}>{WORDS.filter.below}</span>
      </div>
      {wrong ? (
        <span id={noteId} className={styles.error}>
          {WORDS.filter.notANumber(WORDS.filter.examples[field])}
        </span>
      ) : null}
    </fieldset>
  );
}
