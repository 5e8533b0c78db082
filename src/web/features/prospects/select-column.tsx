import { useEffect, useRef } from 'react';
import type { ProspectView } from '#contract/prospects.ts';
import type { Column } from '#web/components/data-table/column.ts';
import styles from './select-column.module.css';
import { pageSelection, selectOne, selectPage, useSelection } from './selection-state.ts';
import { BULK_MESSAGES } from './words.ts';

const WIDTH = 40;

/** Each box reads its own state and marks its row, so that a choice draws no other cell again. */
function SelectBox({ prospect: { id, company_name } }: { readonly prospect: ProspectView }) {
  const isSelected = useSelection(({ ids }) => ids.has(id));
  const box = useRef<HTMLLabelElement>(null);
  useEffect(() => {
    box.current?.closest('tr')?.toggleAttribute('data-chosen', isSelected);
  }, [isSelected]);
  return (
    <label ref={box} className={styles.box} data-select>
      <input
        type="checkbox"
        aria-label={BULK_MESSAGES.selectRow(company_name)}
        checked={isSelected}
        onChange={(event) => selectOne(id, event.target.checked)}
      />
    </label>
  );
}

function SelectPageBox() {
  const state = useSelection(pageSelection);
  const isEmpty = useSelection(({ page }) => page.length === 0);
  return (
    <label className={styles.box}>
      <input
        ref={(box) => {
          if (box !== null) box.indeterminate = state === 'some';
        }}
        type="checkbox"
        aria-label={BULK_MESSAGES.selectPage}
        aria-disabled={isEmpty || undefined}
        checked={state === 'all'}
        onChange={(event) => selectPage(event.target.checked)}
      />
    </label>
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

/** Returns the columns behind one of boxes that choose companies. */
export const withSelection = (columns: readonly Column<ProspectView>[]): readonly Column<ProspectView>[] => [
  SELECT_COLUMN,
  ...columns.map((column) =>
    column.pinnedAt === undefined ? column : { ...column, pinnedAt: column.pinnedAt + WIDTH },
  ),
];
