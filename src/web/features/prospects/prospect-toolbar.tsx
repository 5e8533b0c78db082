import type { ReactNode } from 'react';
import type { ProspectSort } from '#contract/prospect.ts';
import { SelectField } from '#web/components/select-field.tsx';
import type { SendingStatus } from '#web/lib/list-params.ts';
import styles from './prospect-list.module.css';
import { SortSelect } from './sort-select.tsx';
import { PROSPECT_MESSAGES } from './words.ts';

const STATUSES = Object.entries(PROSPECT_MESSAGES.statuses).map(([value, label]) => ({ value, label }));

interface Props {
  readonly status: SendingStatus | undefined;
  readonly sort: ProspectSort;
  readonly onStatus: (status: SendingStatus | undefined) => void;
  readonly onSort: (sort: ProspectSort) => void;
  /** The number of matches. */
  readonly children: ReactNode;
}

export function ProspectToolbar({ status, sort, onStatus, onSort, children }: Props) {
  return (
    <div className={styles.toolbar}>
      <SelectField
        className={styles.inline}
        label={PROSPECT_MESSAGES.status}
        choices={STATUSES}
        value={status ?? 'all'}
        onChange={(value) => onStatus(value === 'all' ? undefined : (value as SendingStatus))}
      />
      <SortSelect sort={sort} onSort={onSort} />
      {children}
    </div>
  );
}
