import type { ProspectSort } from '#contract/prospects-filter.ts';
import { Button } from '#web/components/button.tsx';
import { SelectField } from '#web/components/select-field.tsx';
import type { ListStatus } from '#web/lib/address/params.ts';
import styles from './prospect-list.module.css';
import { SortSelect } from './sort-select.tsx';
import { BULK_MESSAGES, PROSPECT_MESSAGES } from './words.ts';

const STATUSES = Object.entries(PROSPECT_MESSAGES.statuses).map(([value, label]) => ({ value, label }));

interface Props {
  readonly status: ListStatus | undefined;
  readonly sort: ProspectSort;
  readonly onStatus: (status: ListStatus | undefined) => void;
  readonly onSort: (sort: ProspectSort) => void;
  readonly onExport: () => void;
}

export function ProspectToolbar({ status, sort, onStatus, onSort, onExport }: Props) {
  return (
    <div className={styles.toolbar}>
      <SelectField
        className={styles.inline}
        label={PROSPECT_MESSAGES.status}
        choices={STATUSES}
        value={status ?? 'all'}
        onChange={(value) => onStatus(value === 'all' ? undefined : (value as ListStatus))}
      />
      <SortSelect sort={sort} onSort={onSort} />
      <Button className={styles.export ?? ''} aria-haspopup="dialog" onClick={onExport}>
        {BULK_MESSAGES.export}
      </Button>
    </div>
  );
}
