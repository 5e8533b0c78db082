import { useState } from 'react';
import { MAX_OWN_COLUMNS } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { Chip } from '#web/components/inline/chip.tsx';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './column-dialog.module.css';
import { type ColumnLayout, isShown, PRESETS, presetLayout, showColumn } from './column-layout.ts';
import { OWN_LIST_MESSAGES } from './own/words.ts';
import { PROSPECT_MESSAGES } from './words.ts';

interface Props {
  readonly columns: readonly Column<never>[];
  /** The account's own columns, of which some can be shown together. */
  readonly own: readonly Column<never>[];
  readonly layout: ColumnLayout;
  readonly onChange: (change: Partial<ColumnLayout>) => void;
  readonly onClose: () => void;
}

/** Selects the columns, and applies each change at once. Pinned columns are always shown. */
export default function ColumnDialog({ columns, own, layout, onChange, onClose }: Props) {
  const messages = PROSPECT_MESSAGES.columnDialog;
  const shown = (of: ColumnLayout) => columns.map((column) => isShown(of, column)).join();
  return (
    <Dialog title={messages.title} onClose={onClose}>
      <p className="note">
        {messages.help}
        <span className="only-wide">{messages.widthHelp}</span>
      </p>
      <fieldset className={`line ${styles.presets}`} aria-label={messages.presets}>
        {(Object.keys(PRESETS) as (keyof typeof PRESETS)[]).map((preset) => {
          const change = presetLayout(columns, preset, layout);
          const isChosen = shown({ ...layout, ...change }) === shown(layout);
          return (
            <Chip key={preset} isChosen={isChosen} onPress={() => onChange(change)}>
              {messages.presetNames[preset]}
            </Chip>
          );
        })}
      </fieldset>
      <Ticks columns={columns} layout={layout} onChange={onChange} />
      {own.length === 0 ? null : <OwnTicks columns={own} layout={layout} onChange={onChange} />}
      <DialogFoot
        others={
          <Button variant="quiet" className="only-wide" onClick={() => onChange({ widths: {} })}>
            {messages.resetWidths}
          </Button>
        }
        act={
          <Button variant="primary" onClick={onClose}>
            {COMMON_MESSAGES.actions.close}
          </Button>
        }
      />
    </Dialog>
  );
}

type TicksProps = Pick<Props, 'columns' | 'layout' | 'onChange'>;

const Ticks = ({ columns, layout, onChange }: TicksProps) => (
  <ul className={styles.ticks}>
    {columns.map((column, index) => (
      <li key={column.id}>
        <label className={`line ${styles.name}`}>
          <input
            type="checkbox"
            data-autofocus={(index === 0 && column.pinnedAt !== undefined) || undefined}
            checked={isShown(layout, column)}
            aria-disabled={column.pinnedAt !== undefined || undefined}
            onChange={(event) =>
              column.pinnedAt === undefined && onChange(showColumn(layout, column, event.target.checked))
            }
          />
          {column.header}
        </label>
      </li>
    ))}
  </ul>
);

/** The ticks of own columns. One above the most stays away, and is told why. */
function OwnTicks({ columns, layout, onChange }: TicksProps) {
  const [isOver, setOver] = useState(false);
  const messages = OWN_LIST_MESSAGES.columns;

  function change(next: Partial<ColumnLayout>): void {
    const shown = columns.filter((column) => isShown({ ...layout, ...next }, column)).length;
    setOver(shown > MAX_OWN_COLUMNS);
    if (shown <= MAX_OWN_COLUMNS) onChange(next);
  }

  return (
    <fieldset className={styles.own}>
      <legend>{messages.title}</legend>
      <Ticks columns={columns} layout={layout} onChange={change} />
      <p role="alert" className="fault">
        {isOver ? messages.most : null}
      </p>
    </fieldset>
  );
}
