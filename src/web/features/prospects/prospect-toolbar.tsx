import type { ProspectColumn, ProspectSort } from '#contract/prospect.ts';
import { Matches } from '#web/components/matches.tsx';
import { SelectField } from '#web/components/select-field.tsx';
import type { SendingStatus } from '#web/lib/list-params.ts';
import { WORDS } from '#web/lib/words.ts';
import styles from './prospect-list.module.css';

const STATUSES = Object.entries(WORDS.prospects.statuses).map(([value, label]) => ({ value, label }));

const { asc, desc } = WORDS.table.sorted;
const SORTS = [
  { value: '', label: WORDS.table.noSort },
  ...Object.entries(WORDS.prospects.columns).flatMap(([id, label]) => [
    { value: `${id} asc`, label: `${label}（${asc}）` },
    { value: `${id} desc`, label: `${label}（${desc}）` },
  ]),
];

interface Props {
  readonly total: number | undefined;
  readonly status: SendingStatus | undefined;
  readonly sort: ProspectSort;
  readonly onStatus: (status: SendingStatus | undefined) => void;
  readonly onSort: (sort: ProspectSort) => void;
}

/** The order is a select on phones only: their cards have no header to click. */
export function ProspectToolbar({ total, status, sort, onStatus, onSort }: Props) {
  return (
    <div className={styles.toolbar}>
      <SelectField
        className={styles.inline}
        label={WORDS.prospects.status}
        choices={STATUSES}
        value={status ?? 'all'}
        onChange={(value) => onStatus(value === 'all' ? undefined : (value as SendingStatus))}
      />
      <SelectField
        className={`${styles.inline} ${styles.onlyPhone}`}
        label={WORDS.table.sort}
        choices={SORTS}
        value={sort.sort === undefined ? '' : `${sort.sort} ${sort.order ?? 'asc'}`}
        onChange={(value) => {
          const [id, order] = value.split(' ');
          onSort(value === '' ? {} : { sort: id as ProspectColumn, order: order === 'desc' ? 'desc' : 'asc' });
        }}
      />
      <strong className={styles.matches}>
        <Matches total={total} />
      </strong>
    </div>
  );
}
