import { useEffect, useRef } from 'react';
import type { ProspectView } from '#contract/companies/prospects.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { RowBox } from '#web/components/row-box.tsx';
import { pageSelection, selectOne, selectPage, useSelection } from './selection-state.ts';
import { BULK_MESSAGES } from './words.ts';

const WIDTH = 40;

/** Each box reads its own state and marks its row, so that a selection renders no other cell. */
function SelectBox({ prospect: { id, company_name } }: { readonly prospect: ProspectView }) {
  const isSelected = useSelection(({ ids }) => ids.has(id));
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    box.current?.closest('tr')?.toggleAttribute('data-chosen', isSelected);
  }, [isSelected]);
  return (
    <RowBox
      ref={box}
      name={BULK_MESSAGES.selectRow(company_name)}
      checked={isSelected}
      onChange={(checked) => selectOne(id, checked)}
    />
  );
}

function SelectPageBox() {
  const state = useSelection(pageSelection);
  const isEmpty = useSelection(({ page }) => page.length === 0);
  return (
    <RowBox
      ref={(box) => {
        if (box !== null) box.indeterminate = state === 'some';
      }}
      isOfRow={false}
      name={BULK_MESSAGES.selectPage}
      disabled={isEmpty}
      checked={state === 'all'}
      onChange={selectPage}
    />
  );
}

const SELECT_COLUMN: Column<ProspectView> = {
  id: 'select',
  header: BULK_MESSAGES.select,
  headerControl: <SelectPageBox />,
  width: WIDTH,
  pinnedAt: 0,
  isFixed: true,
  isUnsortable: true,
  onCard: 'head',
  render: (prospect) => <SelectBox prospect={prospect} />,
};

/** Adds a column of checkboxes before the others. */
export const withSelection = (columns: readonly Column<ProspectView>[]): readonly Column<ProspectView>[] => [
  SELECT_COLUMN,
  ...columns.map((column) =>
    column.pinnedAt === undefined ? column : { ...column, pinnedAt: column.pinnedAt + WIDTH },
  ),
];
