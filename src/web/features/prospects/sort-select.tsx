import type { ProspectSort, SortColumn } from '#contract/companies/prospects-filter.ts';
import field from '#web/components/field/field.module.css';
import { SelectField } from '#web/components/field/select-field.tsx';
import { isSortColumn } from '#web/lib/address/params.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { withNote } from '#web/lib/phrases.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { PROSPECT_MESSAGES } from './words.ts';

const { asc, desc } = COMMON_MESSAGES.table.sorted;
const SORTS = [
  { value: '', label: PROSPECT_MESSAGES.noSort },
  ...Object.entries(DATA_MESSAGES.prospects.columns)
    .filter(([id]) => isSortColumn(id))
    .flatMap(([id, label]) => [
      { value: `${id} asc`, label: withNote(label, asc) },
      { value: `${id} desc`, label: withNote(label, desc) },
    ]),
];

interface Props {
  readonly sort: ProspectSort;
  readonly onSort: (sort: ProspectSort) => void;
}

/** Selects the order on phones, whose cards have no headers. */
export function SortSelect({ sort, onSort }: Props) {
  return (
    <SelectField
      className={`${field.inline} only-phone`}
      label={PROSPECT_MESSAGES.sort}
      choices={SORTS}
      value={sort.sort === undefined ? '' : `${sort.sort} ${sort.order ?? 'asc'}`}
      onChange={(value) => {
        const [id, order] = value.split(' ');
        onSort(value === '' ? {} : { sort: id as SortColumn, order: order === 'desc' ? 'desc' : 'asc' });
      }}
    />
  );
}
