import { IconMailExclamation } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReviewKind } from '#contract/import.ts';
import { formatNumber } from '#domain/formats.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { Pager } from '#web/components/pager.tsx';
import { StatusBadge } from '#web/components/status-badge.tsx';
import { setPageSize, usePaging } from '#web/lib/paging-state.ts';
import { asMessage } from '#web/lib/phrases.ts';
import { changesOf, type ImportChange, type ImportLine, linesOf } from './import-query.ts';
import styles from './review.module.css';
import { IMPORT_MESSAGES, REVIEW_MESSAGES } from './words.ts';

const { line: header, rowOf, blank } = REVIEW_MESSAGES;

/** A row of a table, with its place on the page: a row of the file can have several lines. */
type Placed<Row> = Row & { readonly place: number };

const placed = <Row,>(rows: readonly Row[]): Placed<Row>[] => rows.map((row, place) => ({ ...row, place }));

type Change = ImportChange['changes'][number];
type ChangeRow = Placed<Pick<ImportChange, 'row' | 'company_name'> & Change>;

/** A year has no separators. */
function written(field: string, value: Change['old']): string {
  if (typeof value !== 'number') return value ?? '';
  return field === 'year_of_establishment' ? String(value) : formatNumber(value);
}

const shownValue = (field: string, value: Change['old']): string => written(field, value) || blank;

const CHANGE_COLUMNS: readonly Column<ChangeRow>[] = [
  { id: 'row', header: header.row, width: 80, render: ({ row }) => rowOf(row) },
  { id: 'company', header: header.company, width: 260, isRowHeader: true, render: ({ company_name }) => company_name },
  {
    id: 'field',
    header: header.column,
    width: 150,
    render: ({ field }) => IMPORT_MESSAGES.fields[field as keyof typeof IMPORT_MESSAGES.fields] ?? field,
  },
  { id: 'old', header: header.old, width: 260, render: ({ field, old }) => shownValue(field, old) },
  {
    id: 'new',
    header: header.new,
    width: 320,
    render: ({ field, new: next }) =>
      field === 'company_email' ? (
        <span>
          {shownValue(field, next)}{' '}
          <StatusBadge look={{ tone: 'amber', Icon: IconMailExclamation }} word={REVIEW_MESSAGES.addressChanges} />
        </span>
      ) : (
        shownValue(field, next)
      ),
  },
];

/** The companies that the import would change, a line for each changed value. */
export function ChangeTable({ id }: { readonly id: number }) {
  const [page, setPage] = useState(1);
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
      columns={CHANGE_COLUMNS}
      rows={rows}
      list={list}
      page={page}
      onPage={setPage}
    />
  );
}

type LineRow = Placed<ImportLine>;

const column = (
  id: 'row' | 'company' | 'column' | 'value' | 'reason' | 'first',
  width: number,
  render: (line: LineRow) => string,
) => ({
  id,
  header: header[id],
  width,
  render,
});
const COLUMNS = {
  row: { ...column('row', 80, ({ row }) => rowOf(row)), isRowHeader: true },
  /** The value of a repeated row is its company's name. */
  company: column('company', 260, ({ company_name, value }) => company_name ?? value),
  first: column('first', 160, ({ first_row }) => (first_row === null ? '' : rowOf(first_row))),
  column: column('column', 130, (line) => line.column),
  value: column('value', 260, ({ value }) => value),
  reason: column('reason', 400, ({ reason }) => asMessage(reason)),
} as const satisfies Record<string, Column<LineRow>>;

/** The company of a faulty cell is not known: its row was not read to the end. */
const CELL_COLUMNS = [COLUMNS.row, COLUMNS.column, COLUMNS.value, COLUMNS.reason];
const LINE_COLUMNS: Readonly<Record<ReviewKind, readonly Column<LineRow>[]>> = {
  refused: CELL_COLUMNS,
  blanked: CELL_COLUMNS,
  repeated: [COLUMNS.row, COLUMNS.company, COLUMNS.first, COLUMNS.reason],
  closed: [COLUMNS.row, COLUMNS.value, COLUMNS.reason],
  suppressed: [COLUMNS.row, COLUMNS.company, COLUMNS.value, COLUMNS.reason],
  archived: [COLUMNS.row, COLUMNS.company, COLUMNS.reason],
};

interface LineProps {
  readonly id: number;
  readonly label: string;
  readonly kind: ReviewKind;
  /** Lines of one reason alone. */
  readonly reason?: string | undefined;
  /** Lines of one field alone. */
  readonly column?: string | undefined;
}

/** Rows of the file of one kind, in their order. */
export function LineTable({ id, label, kind, reason, column: field }: LineProps) {
  const [page, setPage] = useState(1);
  const size = usePaging((state) => state.pagenate_count);
  const list = useQuery(linesOf(id, { kind, reason, column: field }, { page, size }));
  const rows = useMemo(() => list.data && placed(list.data.rows), [list.data]);
  return <Pages label={label} columns={LINE_COLUMNS[kind]} rows={rows} list={list} page={page} onPage={setPage} />;
}

interface PagesProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly list: {
    readonly data: { readonly total: number } | undefined;
    readonly isError: boolean;
    readonly isPlaceholderData: boolean;
    readonly refetch: () => unknown;
  };
  readonly page: number;
  readonly onPage: (page: number) => void;
}

function Pages<Row extends { readonly place: number }>({ label, columns, rows, list, page, onPage }: PagesProps<Row>) {
  const size = usePaging((state) => state.pagenate_count);
  const { data, isError, isPlaceholderData, refetch } = list;
  if (isError && data === undefined) return <LoadFailed onRetry={() => void refetch()} />;
  return (
    <div className={styles.table}>
      <DataTable
        label={label}
        columns={columns}
        rows={rows}
        rowId={({ place }) => place}
        busy={isPlaceholderData}
        view={`${page} ${size}`}
        empty={REVIEW_MESSAGES.none}
      />
      <Pager
        total={data?.total}
        page={page}
        size={size}
        isLoading={isPlaceholderData}
        onPage={onPage}
        onSize={(next) => {
          setPageSize(next);
          onPage(1);
        }}
      />
    </div>
  );
}
