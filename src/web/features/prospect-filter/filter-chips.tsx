import { IconX } from '@tabler/icons-react';
import type { ProspectFilter } from '#contract/prospect.ts';
import { FILTER_WORDS } from '#web/lib/filter-words.ts';
import { PRESENCE_FIELDS, RANGE_FIELDS, TERM_FIELDS } from '#web/lib/list-params.ts';
import { draftOf, type FilterField } from './filter-draft.ts';
import styles from './filter-panel.module.css';

const { fields, presence, units, above, below, bound } = FILTER_WORDS;

interface Chip {
  readonly label: string;
  readonly value: string;
  /** The fields that it stands for. */
  readonly of: readonly FilterField[];
}

function chipsOf(filter: ProspectFilter): Chip[] {
  const written = draftOf(filter);
  const terms = TERM_FIELDS.map((field) => ({ label: fields[field], value: written[field] ?? '', of: [field] }));
  const presences = PRESENCE_FIELDS.map((field) => {
    const wanted = filter[field];
    return { label: fields[field], value: wanted === undefined ? '' : presence[wanted], of: [field] };
  });
  const ranges = RANGE_FIELDS.map((field) => {
    const [from, to] = [`${field}_from`, `${field}_to`] as const;
    const bounds = [
      filter[from] === undefined ? [] : bound(written[from] ?? '', units[field], above),
      filter[to] === undefined ? [] : bound(written[to] ?? '', units[field], below),
    ];
    return { label: fields[field], value: bounds.flat().join(' '), of: [from, to] };
  });
  return [...terms, ...presences, ...ranges].filter(({ value }) => value !== '');
}

interface Props {
  readonly filter: ProspectFilter;
  readonly onRemove: (fields: readonly FilterField[]) => void;
}

/** The conditions that hold, each with a button that removes it: what folded filters show. */
export function FilterChips({ filter, onRemove }: Props) {
  return (
    <ul className={styles.chips}>
      {chipsOf(filter).map(({ label, value, of }) => (
        <li key={label} className={styles.chip}>
          <span className={styles.chipText} title={value}>
            {FILTER_WORDS.chip(label, value)}
          </span>
          <button type="button" aria-label={FILTER_WORDS.removeChip(label)} onClick={() => onRemove(of)}>
            <IconX size={14} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}
