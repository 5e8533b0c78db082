import IconArrowDown from '@tabler/icons-react/dist/esm/icons/IconArrowDown.mjs';
import IconArrowsSort from '@tabler/icons-react/dist/esm/icons/IconArrowsSort.mjs';
import IconArrowUp from '@tabler/icons-react/dist/esm/icons/IconArrowUp.mjs';
import type { ReactNode } from 'react';
import { inBrackets } from '#web/lib/phrases.ts';
import type { Column } from './column.ts';
import styles from './header-cell.module.css';
import { ROLES } from './roles.ts';

interface Props<Row> {
  readonly column: Column<Row>;
  readonly sorted: false | 'asc' | 'desc';
  /** undefined: the header does not sort. */
  readonly onToggle: (() => void) | undefined;
  /** The handle at its edge, in tables whose columns can be resized. */
  readonly children?: ReactNode;
}

const ICONS = { asc: IconArrowUp, desc: IconArrowDown };

export function HeaderCell<Row>({ column, sorted, onToggle, children }: Props<Row>) {
  const { header, unit, kind = 'text', pinnedAt, headerControl } = column;
  const Icon = sorted === false ? IconArrowsSort : ICONS[sorted];
  const label = (
    <>
      <span className={styles.headerText}>{header}</span>
      {unit === undefined ? null : <span className={styles.unit}>{inBrackets(unit)}</span>}
    </>
  );
  return (
    <th
      role={ROLES.columnHeader}
      scope="col"
      data-kind={kind}
      data-pinned={pinnedAt !== undefined || undefined}
      style={pinnedAt === undefined ? undefined : { left: pinnedAt }}
      aria-sort={sorted === false ? undefined : sorted === 'asc' ? 'ascending' : 'descending'}
    >
      {headerControl !== undefined ? (
        <span className={styles.headerPlain}>{headerControl}</span>
      ) : onToggle === undefined ? (
        <span className={styles.headerPlain}>{label}</span>
      ) : (
        <button
          type="button"
          className={styles.headerButton}
          data-sorted={sorted !== false || undefined}
          onClick={onToggle}
        >
          {label}
          <Icon size={13} aria-hidden className={styles.sortIcon} />
        </button>
      )}
      {children}
    </th>
  );
}
