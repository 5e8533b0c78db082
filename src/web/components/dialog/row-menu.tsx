import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import type { ReactNode } from 'react';
import type { Column } from '../data-table/column.ts';
import { Menu } from './menu.tsx';

interface MenuProps {
  readonly name: string;
  readonly children: ReactNode;
}

/** Shows the menu of a row (⋯). */
export const RowMenu = ({ name, children }: MenuProps) => (
  <Menu
    onTop="below"
    variant="quiet"
    label={
      <>
        <IconDots size={18} aria-hidden />
        <span className="visually-hidden">{name}</span>
      </>
    }
  >
    {children}
  </Menu>
);

interface Parts<Row> {
  readonly header: string;
  /** Names the menu of a row. */
  readonly nameOf: (row: Row) => string;
  /** The entries; null: the row has no menu. */
  readonly acts: (row: Row) => ReactNode;
}

/** Returns the column of the rows' menus. On a card the menu stands beside the name. */
export const menuColumn = <Row,>({ header, nameOf, acts }: Parts<Row>): Column<Row> => ({
  id: 'menu',
  header,
  width: 64,
  onCard: 'head',
  render(row) {
    const entries = acts(row);
    return entries === null ? null : <RowMenu name={nameOf(row)}>{entries}</RowMenu>;
  },
});
