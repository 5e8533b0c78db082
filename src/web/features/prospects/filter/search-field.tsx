import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs';
import { useId } from 'react';
import { MAX_SEARCH_WORDS } from '#domain/limits.ts';
import field from '#web/components/field.module.css';
import { pastedCells } from '#web/lib/pasted-cells.ts';
import type { TextFault } from './filter-draft.ts';
import styles from './search-field.module.css';
import { FILTER_MESSAGES } from './words.ts';

interface Props {
  readonly value: string;
  readonly fault: TextFault | undefined;
  readonly onChange: (value: string) => void;
}

/** Searches companies by name and address. It is shown while the filters are closed too. */
export function SearchField({ value, fault, onChange }: Props) {
  const { search, searchFaults } = FILTER_MESSAGES;
  const faultId = useId();
  return (
    <div className={styles.search}>
      <IconSearch size={16} aria-hidden />
      <input
        type="search"
        className={`${field.control} ${styles.input}`}
        aria-label={search}
        placeholder={search}
        aria-invalid={fault !== undefined || undefined}
        aria-describedby={fault === undefined ? undefined : faultId}
        autoComplete="off"
        enterKeyHint="search"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onPaste={pastedCells(' ', onChange)}
      />
      {fault === undefined ? null : (
        <span id={faultId} className={field.error}>
          {searchFaults[fault](MAX_SEARCH_WORDS)}
        </span>
      )}
    </div>
  );
}
