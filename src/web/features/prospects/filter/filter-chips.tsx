import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import type { ProspectFilter } from '#contract/prospects-filter.ts';
import { conditionsOf } from './conditions.ts';
import type { FilterField } from './filter-draft.ts';
import styles from './filter-panel.module.css';
import { FILTER_MESSAGES } from './words.ts';

interface Props {
  readonly filter: ProspectFilter;
  readonly onRemove: (fields: readonly FilterField[]) => void;
}

/**
 * Shows the applied conditions while the filters are closed, each with a button that removes it.
 * The search stands in its own field.
 */
export function FilterChips({ filter: { search: _inItsField, ...filter }, onRemove }: Props) {
  const conditions = conditionsOf(filter);
  if (conditions.length === 0) return null;
  return (
    <ul className={styles.chips}>
      {conditions.map(({ label, value, of }) => (
        <li key={label} className={styles.chip}>
          <span className={styles.chipText} title={value}>
            {FILTER_MESSAGES.chip(label, value)}
          </span>
          <button type="button" aria-label={FILTER_MESSAGES.removeChip(label)} onClick={() => onRemove(of)}>
            <IconX size={14} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}
