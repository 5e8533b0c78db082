import type { Icon } from '@tabler/icons-react';
import IconArrowBackUp from '@tabler/icons-react/dist/esm/icons/IconArrowBackUp.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs';
import IconFileImport from '@tabler/icons-react/dist/esm/icons/IconFileImport.mjs';
import IconListSearch from '@tabler/icons-react/dist/esm/icons/IconListSearch.mjs';
import IconUpload from '@tabler/icons-react/dist/esm/icons/IconUpload.mjs';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import { importPath } from '#web/lib/address/params.ts';
import { Link } from '#web/lib/router/link.tsx';
import { listTime } from '#web/lib/screen-time.ts';
import { canDeleteFile, canDiscard, canUndo } from './act-dialogs.tsx';
import { FaultsButton } from './faults-button.tsx';
import type { ImportRow } from './import-query.ts';
import styles from './import-screen.module.css';
import { RUN_MESSAGES } from './words.ts';

const look = (tone: StatusLook['tone'], icon: Icon): StatusLook => ({ tone, Icon: icon });
const LOOKS: Readonly<Record<ImportRow['state'], StatusLook>> = {
  uploading: look('amber', IconUpload),
  uploaded: look('amber', IconListSearch),
  checking: look('blue', IconListSearch),
  checked: look('amber', IconClock),
  importing: look('blue', IconFileImport),
  imported: look('green', IconCheck),
  undoing: look('blue', IconArrowBackUp),
  undone: look('neutral', IconArrowBackUp),
};

const { columns: header } = RUN_MESSAGES;

const count = (id: 'added' | 'updated' | 'refused', width: number): Column<ImportRow> => ({
  id,
  header: header[id],
  width,
  kind: 'number',
  render: ({ counts }) => counts?.[id].toLocaleString('ja-JP') ?? '',
});

/** An action on an import that needs a confirmation. */
export type AskedAct = 'undo' | 'discard' | 'delete_file';
type Ask = (act: AskedAct, row: ImportRow) => void;

export const importColumns = (onAsk: Ask): readonly Column<ImportRow>[] => [
  {
    id: 'created_at',
    header: header.created_at,
    width: 166,
    render: ({ created_at }) => listTime(created_at),
  },
  {
    id: 'name',
    header: header.name,
    width: 180,
    growth: 2,
    isRowHeader: true,
    render: ({ id, name }) => (
      <Link to={importPath(id)} title={name}>
        <bdi>{name}</bdi>
      </Link>
    ),
  },
  {
    id: 'member_name',
    header: header.member_name,
    width: 96,
    render: ({ member_name }) => member_name ?? RUN_MESSAGES.byCommand,
  },
  count('added', 62),
  count('updated', 62),
  count('refused', 110),
  {
    id: 'state',
    header: header.state,
    width: 140,
    render: ({ state }) => <StatusBadge look={LOOKS[state]} word={RUN_MESSAGES.states[state]} />,
  },
  {
    id: 'actions',
    header: header.actions,
    width: 264,
    render: (row) => <Actions row={row} onAsk={onAsk} />,
  },
];

function Actions({ row, onAsk }: { readonly row: ImportRow; readonly onAsk: Ask }) {
  const { undoShort, undoOf, discardShort, discardOf, deleteFileShort, deleteFileOf, downloadShort } = RUN_MESSAGES;
  const hasFaults = (row.counts?.refused ?? 0) > 0 && row.expires_at !== null;
  if (!canUndo(row) && !canDiscard(row) && !canDeleteFile(row) && !hasFaults) return null;
  return (
    <span className={`line ${styles.actions}`}>
      {canUndo(row) ? (
        <Button variant="quiet" aria-label={undoOf(row.name)} onClick={() => onAsk('undo', row)}>
          {undoShort}
        </Button>
      ) : null}
      {canDiscard(row) ? (
        <Button variant="quiet" aria-label={discardOf(row.name)} onClick={() => onAsk('discard', row)}>
          {discardShort}
        </Button>
      ) : null}
      {canDeleteFile(row) ? (
        <Button variant="quiet" aria-label={deleteFileOf(row.name)} onClick={() => onAsk('delete_file', row)}>
          {deleteFileShort}
        </Button>
      ) : null}
      {hasFaults ? <FaultsButton id={row.id} name={row.name} label={downloadShort} isQuiet /> : null}
    </span>
  );
}
