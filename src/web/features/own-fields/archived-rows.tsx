import type { Column } from '#web/components/data-table/column.ts';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import styles from './own-fields.module.css';

interface Props<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}

/** Folds the rows that are not used any more, from where they can be brought back. */
export function ArchivedRows<Row extends { readonly id: number }>({ label, columns, rows }: Props<Row>) {
  if (rows.length === 0) return null;
  return (
    <details className={styles.archived}>
      <summary>{label}</summary>
      <DataTable label={label} columns={columns} rows={rows} rowId={({ id }) => id} empty={null} />
    </details>
  );
}
