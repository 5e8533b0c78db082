import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { Chip } from '#web/components/inline/chip.tsx';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './column-dialog.module.css';
import { type ColumnLayout, isShown, PRESETS, presetLayout, showColumn } from './column-layout.ts';
import { PROSPECT_MESSAGES } from './words.ts';

interface Props {
  readonly columns: readonly Column<never>[];
  readonly layout: ColumnLayout;
  readonly onChange: (change: Partial<ColumnLayout>) => void;
  readonly onClose: () => void;
}

/** Selects the columns, and applies each change at once. Pinned columns are always shown. */
export default function ColumnDialog({ columns, layout, onChange, onClose }: Props) {
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
          const change = presetLayout(columns, preset);
          const isChosen = shown({ ...layout, ...change }) === shown(layout);
          return (
            <Chip key={preset} isChosen={isChosen} onPress={() => onChange(change)}>
              {messages.presetNames[preset]}
            </Chip>
          );
        })}
      </fieldset>
      <ul>
        {columns.map((column, index) => {
          const { id, header, pinnedAt } = column;
          return (
            <li key={id}>
              <label className={`line ${styles.name}`}>
                <input
                  type="checkbox"
                  data-autofocus={index === 0 || undefined}
                  checked={isShown(layout, column)}
                  aria-disabled={pinnedAt !== undefined || undefined}
                  onChange={(event) =>
                    pinnedAt === undefined && onChange(showColumn(layout, column, event.target.checked))
                  }
                />
                {header}
              </label>
            </li>
          );
        })}
      </ul>
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
