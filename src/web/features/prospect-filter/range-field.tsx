import { useId } from 'react';
import { FILTER_WORDS } from '#web/lib/filter-words.ts';
import type { RangeField as RangeName } from '#web/lib/list-params.ts';
import { inBrackets } from '#web/lib/phrase-words.ts';
import { type Faults, type FilterDraft, type FilterField, rangeFault } from './filter-draft.ts';
import styles from './range-field.module.css';

interface Props {
  readonly field: RangeName;
  readonly draft: FilterDraft;
  readonly faults: Faults;
  readonly onChange: (field: FilterField, value: string) => void;
}

/** A range by its two bounds, both exclusive. */
export function RangeField({ field, draft, faults, onChange }: Props) {
  const noteId = useId();
  const label = FILTER_WORDS.fields[field];
  const from = `${field}_from` as const;
  const to = `${field}_to` as const;
  const fault = rangeFault(faults, from) ?? rangeFault(faults, to);

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
        <span className={styles.unit}>{inBrackets(FILTER_WORDS.units[field])}</span>
      </legend>
      <div className={styles.bounds}>
        {bound(from, FILTER_WORDS.from(label))}
        <span className={styles.between}>{FILTER_WORDS.above}</span>
        {bound(to, FILTER_WORDS.to(label))}
        <span className={styles.between}>{FILTER_WORDS.below}</span>
      </div>
      {fault === undefined ? null : (
        <span id={noteId} className={styles.error}>
          {FILTER_WORDS.faults[fault](FILTER_WORDS.examples[field])}
        </span>
      )}
    </fieldset>
  );
}
