import type { Icon } from '@tabler/icons-react';
import IconArrowBackUp from '@tabler/icons-react/dist/esm/icons/IconArrowBackUp.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs';
import IconFileImport from '@tabler/icons-react/dist/esm/icons/IconFileImport.mjs';
import IconListSearch from '@tabler/icons-react/dist/esm/icons/IconListSearch.mjs';
import IconUpload from '@tabler/icons-react/dist/esm/icons/IconUpload.mjs';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { asButtons, BADGE_EDGES, textColumn } from '#web/components/data-table/text-column.ts';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import { importPath } from '#web/lib/address/params.ts';
import { Link } from '#web/lib/router/link.tsx';
import { listTime } from '#web/lib/screen-time.ts';
import { canDeleteFile, canDiscard, canUndo } from './act-dialogs.tsx';
import { FaultsButton } from './faults-button.tsx';
import type { ImportRow } from './import-query.ts';
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

const count = (id: 'added' | 'updated' | 'refused'): Column<ImportRow> =>
  textColumn(id, header[id], ({ counts }) => counts?.[id].toLocaleString('ja-JP') ?? '', { kind: 'number' });

/** An action on an import that needs a confirmation. */
export type AskedAct = 'undo' | 'discard' | 'delete_file';
type Ask = (act: AskedAct, row: ImportRow) => void;

/** @param onAsk absent: the member may only look */
export const importColumns = (onAsk: Ask | undefined): readonly Column<ImportRow>[] => [
  textColumn('created_at', header.created_at, ({ created_at }) => listTime(created_at)),
  {
    id: 'name',
    header: header.name,
    width: 90,
    fits: ({ name }) => name,
    most: 400,
    cut: true,
    isRowHeader: true,
    render: ({ id, name }) => (
      <Link to={importPath(id)} title={name}>
        <bdi>{name}</bdi>
      </Link>
    ),
  },
  textColumn('member_name', header.member_name, ({ member_name }) => member_name ?? RUN_MESSAGES.byCommand, {
    most: 140,
  }),
  count('added'),
  count('updated'),
  count('refused'),
  {
    id: 'state',
    header: header.state,
    width: 48,
    fits: ({ state }) => RUN_MESSAGES.states[state],
    beside: BADGE_EDGES,
    render: ({ state }) => <StatusBadge look={LOOKS[state]} word={RUN_MESSAGES.states[state]} />,
  },
  ...(onAsk === undefined ? [] : [actColumn(onAsk)]),
];

const actColumn = (onAsk: Ask): Column<ImportRow> => ({
  id: 'actions',
  header: header.actions,
  width: 48,
  fits: (row) => asButtons(actsOf(row).map(({ label }) => label)),
  kind: 'acts',
  render: (row) => <Actions row={row} onAsk={onAsk} />,
});

/** Returns the acts that an import offers, with the names of their buttons. */
function actsOf(row: ImportRow) {
  const { undoShort, undoOf, discardShort, discardOf, deleteFileShort, deleteFileOf, downloadShort } = RUN_MESSAGES;
  const hasFaults = (row.counts?.refused ?? 0) > 0 && row.expires_at !== null;
  return [
    ...(canUndo(row) ? [{ act: 'undo', label: undoShort, name: undoOf(row.name) } as const] : []),
    ...(canDiscard(row) ? [{ act: 'discard', label: discardShort, name: discardOf(row.name) } as const] : []),
    ...(canDeleteFile(row)
      ? [{ act: 'delete_file', label: deleteFileShort, name: deleteFileOf(row.name) } as const]
      : []),
    ...(hasFaults ? [{ act: 'download', label: downloadShort } as const] : []),
  ];
}

function Actions({ row, onAsk }: { readonly row: ImportRow; readonly onAsk: Ask }) {
  const acts = actsOf(row);
  if (acts.length === 0) return null;
  return (
    <span>
      {acts.map((each) =>
        each.act === 'download' ? (
          <FaultsButton key={each.act} id={row.id} name={row.name} label={each.label} isQuiet />
        ) : (
          <Button key={each.act} variant="quiet" aria-label={each.name} onClick={() => onAsk(each.act, row)}>
            {each.label}
          </Button>
        ),
      )}
    </span>
  );
}
