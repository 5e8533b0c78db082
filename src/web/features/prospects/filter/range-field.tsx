import { useId } from 'react';
import type { RangeField as RangeName } from '#web/lib/address/params.ts';
import { inBrackets } from '#web/lib/phrases.ts';
import { type Faults, type FilterDraft, type FilterField, rangeFault } from './filter-draft.ts';
import styles from './range-field.module.css';
import { FILTER_MESSAGES } from './words.ts';

interface Props {
  readonly field: RangeName;
  readonly draft: FilterDraft;
  readonly faults: Faults;
  readonly onChange: (field: FilterField, value: string) => void;
}

/** A range with two exclusive bounds. */
export function RangeField({ field, draft, faults, onChange }: Props) {
  const noteId = useId();
  const label = FILTER_MESSAGES.fields[field];
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
        <span className={styles.unit}>{inBrackets(FILTER_MESSAGES.units[field])}</span>
      </legend>
      <div className={styles.bounds}>
        {bound(from, FILTER_MESSAGES.from(label))}
        <span className={styles.between}>{FILTER_MESSAGES.above}</span>
        {bound(to, FILTER_MESSAGES.to(label))}
        <span className={styles.between}>{FILTER_MESSAGES.below}</span>
      </div>
      {fault === undefined ? null : (
        <span id={noteId} className={styles.error}>
          {FILTER_MESSAGES.faults[fault](FILTER_MESSAGES.examples[field])}
        </span>
      )}
    </fieldset>
  );
}
