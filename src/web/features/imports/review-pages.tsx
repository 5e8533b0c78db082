import type { Column } from '#web/components/data-table/column.ts';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { Pager } from '#web/components/pager/pager.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { setPageSize, usePaging } from '#web/lib/screen/paging-state.ts';
import styles from './review.module.css';
import { REVIEW_MESSAGES } from './words.ts';

/** A row of a table with its index on the page, because a row of the file can have several lines. */
export type Placed<Row> = Row & { readonly place: number };

export const placed = <Row,>(rows: readonly Row[]): Placed<Row>[] => rows.map((row, place) => ({ ...row, place }));

interface PagesProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly list: {
    readonly data: { readonly total: number } | undefined;
    readonly isError: boolean;
    readonly error: Error | null;
    readonly isPlaceholderData: boolean;
    readonly refetch: () => unknown;
  };
  readonly page: number;
  readonly onPage: (page: number) => void;
}

export function Pages<Row extends { readonly place: number }>({
  label,
  columns,
  rows,
  list,
  page,
  onPage,
}: PagesProps<Row>) {
  const size = usePaging((state) => state.pagenate_count);
  const { data, isError, error, isPlaceholderData, refetch } = list;
  if (isError && data === undefined) return <LoadFailed error={error} onRetry={() => void refetch()} />;
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
