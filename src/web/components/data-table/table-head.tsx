import type { Column } from './column.ts';
import { HeaderCell } from './header-cell.tsx';
import { ResizeHandle } from './resize-handle.tsx';
import { ROLES } from './roles.ts';
import { nextSort, type Sort } from './sort.ts';

interface Props<Row> {
  readonly columns: readonly Column<Row>[];
  readonly sort: Sort | undefined;
  /** undefined: the headers do not sort. */
  readonly onSort: ((sort: Sort | undefined) => void) | undefined;
  /** undefined: the columns keep their widths. */
  readonly onWidth: ((id: string, width: number) => void) | undefined;
}

export function TableHead<Row>({ columns, sort, onSort, onWidth }: Props<Row>) {
  return (
    <thead role={ROLES.rowGroup}>
      <tr role={ROLES.row}>
        {columns.map((column, index) => {
          const { id, isFixed = false, isUnsortable = false } = column;
          return (
            <HeaderCell
              key={id}
              column={column}
              sorted={sort?.id === id && sort.order}
              onToggle={isUnsortable ? undefined : onSort && (() => onSort(nextSort(sort, id)))}
            >
              {onWidth === undefined || isFixed ? null : (
                <ResizeHandle index={index} onWidth={(width) => onWidth(id, width)} />
              )}
            </HeaderCell>
          );
        })}
      </tr>
    </thead>
  );
}
