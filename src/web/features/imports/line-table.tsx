import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReviewKind } from '#contract/imports/imports.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { textColumn } from '#web/components/data-table/text-column.ts';
import { asMessage } from '#web/lib/phrases.ts';
import { usePaging } from '#web/lib/screen/paging-state.ts';
import { type ImportLine, linesOf } from './import-query.ts';
import { Pages, type Placed, placed } from './review-pages.tsx';
import { REVIEW_MESSAGES } from './words.ts';

const { line: header, rowOf } = REVIEW_MESSAGES;

type LineRow = Placed<ImportLine>;

const column = (
  id: 'row' | 'company' | 'person' | 'column' | 'value' | 'reason' | 'first',
  text: (line: LineRow) => string,
  more?: Partial<Column<LineRow>>,
) => textColumn(id, header[id], text, more);
const WIDE = { width: 140, most: 400, cut: true } as const;
const COLUMNS = {
  row: column('row', ({ row }) => rowOf(row), { isRowHeader: true }),
  /** The value of a duplicate row is its company's name. */
  company: column('company', ({ company_name, value }) => company_name ?? value, WIDE),
  person: column('person', ({ person }) => person?.name || person?.email || '', { width: 100, most: 240, cut: true }),
  first: column('first', ({ first_row }) => (first_row === null ? '' : rowOf(first_row))),
  column: column('column', (line) => line.column, { most: 240 }),
  value: column('value', ({ value }) => value, WIDE),
  reason: column('reason', ({ reason }) => asMessage(reason), { width: 240, most: 700, cut: true }),
} as const;

const CELL_COLUMNS = [COLUMNS.row, COLUMNS.column, COLUMNS.value, COLUMNS.reason];
const LINE_COLUMNS: Readonly<Record<ReviewKind, readonly Column<LineRow>[]>> = {
  refused: CELL_COLUMNS,
  blanked: CELL_COLUMNS,
  not_taken: CELL_COLUMNS,
  cut_phone: CELL_COLUMNS,
  repeated: [COLUMNS.row, COLUMNS.company, COLUMNS.first, COLUMNS.reason],
  closed: [COLUMNS.row, COLUMNS.value, COLUMNS.reason],
  suppressed: [COLUMNS.row, COLUMNS.company, COLUMNS.value, COLUMNS.reason],
  archived: [COLUMNS.row, COLUMNS.company, COLUMNS.reason],
};

/** Of a file with people, the row's cells say whom a fault concerns. */
const PERSON_COLUMNS = [COLUMNS.row, COLUMNS.company, COLUMNS.person, COLUMNS.column, COLUMNS.value, COLUMNS.reason];

interface LineProps {
  readonly id: number;
  readonly label: string;
  readonly kind: ReviewKind;
  readonly hasPeople?: boolean;
  /** Only rows with this reason. */
  readonly reason?: string | undefined;
  /** Only rows with an error in this field. */
  readonly column?: string | undefined;
}

/** Lists the file's rows of one kind, in their order. */
export function LineTable({ id, label, kind, hasPeople = false, reason, column: field }: LineProps) {
  const [page, setPage] = useState(1);
  const size = usePaging((state) => state.pagenate_count);
  const list = useQuery(linesOf(id, { kind, reason, column: field }, { page, size }));
  const rows = useMemo(() => list.data && placed(list.data.rows), [list.data]);
  const columns = hasPeople ? PERSON_COLUMNS : LINE_COLUMNS[kind];
  return <Pages label={label} columns={columns} rows={rows} list={list} page={page} onPage={setPage} />;
}
