import IconMailExclamation from '@tabler/icons-react/dist/esm/icons/IconMailExclamation.mjs';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Column } from '#web/components/data-table/column.ts';
import { textColumn } from '#web/components/data-table/text-column.ts';
import { StatusBadge } from '#web/components/inline/status-badge.tsx';
import { shownValue } from '#web/lib/data/company-value.ts';
import { ownFieldList } from '#web/lib/data/own-fields.ts';
import { usePaging } from '#web/lib/screen/paging-state.ts';
import { changesOf, type ImportChange } from './import-query.ts';
import { Pages, type Placed, placed } from './review-pages.tsx';
import { IMPORT_MESSAGES, REVIEW_MESSAGES } from './words.ts';

const { line: header, rowOf, blank } = REVIEW_MESSAGES;

type Change = ImportChange['changes'][number];
type ChangeRow = Placed<Pick<ImportChange, 'row' | 'company_name'> & Change>;

const shownOrBlank = (field: string, value: Change['old']): string => shownValue(field, value) || blank;

const names: Readonly<Record<string, string>> = IMPORT_MESSAGES.fields;

/** Names a changed field: of the company (`address`), a person (`person.7.title`), or our own (`own.3`, `own.tags`). */
function fieldName(field: string, labels: ReadonlyMap<number, string>): string {
  const [room, of = '', column = ''] = field.split('.');
  if (room === 'person') return names[`person_${column}`] ?? field;
  if (field === 'person_id') return IMPORT_MESSAGES.fields.person_is_primary;
  return (room === 'own' ? (names[of] ?? labels.get(Number(of))) : names[field]) ?? field;
}

const changeColumns = (labels: ReadonlyMap<number, string>): readonly Column<ChangeRow>[] => [
  textColumn('row', header.row, ({ row }) => rowOf(row)),
  textColumn('company', header.company, ({ company_name }) => company_name ?? '', {
    width: 140,
    most: 400,
    cut: true,
    isRowHeader: true,
  }),
  textColumn('field', header.column, ({ field }) => fieldName(field, labels)),
  textColumn('old', header.old, ({ field, old }) => shownOrBlank(field, old), { width: 120, most: 400, cut: true }),
  {
    id: 'new',
    header: header.new,
    // Fits an address and the badge behind it.
    width: 280,
    fits: ({ field, new: next }) => shownOrBlank(field, next),
    most: 400,
    cut: true,
    render: ({ field, new: next }) =>
      field === 'company_email' ? (
        <span>
          {shownOrBlank(field, next)}{' '}
          <StatusBadge look={{ tone: 'amber', Icon: IconMailExclamation }} word={REVIEW_MESSAGES.addressChanges} />
        </span>
      ) : (
        shownOrBlank(field, next)
      ),
  },
];

/** Lists the companies that the import would change, with a line for each changed value. */
export function ChangeTable({ id }: { readonly id: number }) {
  const [page, setPage] = useState(1);
  const { data: own } = useQuery(ownFieldList);
  const columns = useMemo(() => changeColumns(new Map(own?.map(({ id: field, label }) => [field, label]))), [own]);
  const size = usePaging((state) => state.pagenate_count);
  const list = useQuery(changesOf(id, { page, size }));
  const rows = useMemo(
    () =>
      list.data &&
      placed(
        list.data.rows.flatMap(({ row, company_name, changes }) =>
          changes.map((one) => ({ row, company_name, ...one })),
        ),
      ),
    [list.data],
  );
  return (
    <Pages
      label={REVIEW_MESSAGES.tabs.changes}
      columns={columns}
      rows={rows}
      list={list}
      page={page}
      onPage={setPage}
    />
  );
}
