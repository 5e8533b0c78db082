import { useQuery } from '@tanstack/react-query';
import { lazy, useMemo, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { textColumn } from '#web/components/data-table/text-column.ts';
import { menuColumn } from '#web/components/dialog/row-menu.tsx';
import { Tag as TagMark } from '#web/components/inline/tag.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { inUse, type Tag } from '#web/lib/data/own/own-fields.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { May, useMay } from '#web/lib/session/use-may.ts';
import { ArchivedRows } from './archived-rows.tsx';
import { putTag, tagCounts, tagsList, useChange } from './own-fields-query.ts';
import { TAG_MESSAGES as messages, OWN_FIELD_MESSAGES } from './words.ts';

const TagDialog = lazy(() => loadPart(() => import('./tag-dialog.tsx')));
const MergeDialog = lazy(() => loadPart(() => import('./merge-dialog.tsx')));

interface Row extends Tag {
  readonly isCounted: boolean;
}

type Open = 'new' | { readonly act: 'edit' | 'merge'; readonly id: number };

/** Lists the tags with their numbers of companies. Sales members add tags; admins change them. */
export function TagList() {
  const isAdmin = useMay('updateTag');
  const [open, setOpen] = useState<Open | null>(null);
  const { data: tags, isError, error, refetch } = useQuery(tagsList);
  const { data: counts } = useQuery(tagCounts);
  const change = useChange<{ readonly archived: 0 | 1 }>(putTag, messages);
  const rows = useMemo(
    () =>
      tags?.map((tag): Row => {
        const counted = counts?.get(tag.id);
        return { ...tag, companies: counted?.companies ?? null, isCounted: counted !== undefined };
      }),
    [tags, counts],
  );
  const columns = useMemo(
    () =>
      columnsOf(
        isAdmin
          ? { onOpen: (act, { id }) => setOpen({ act, id }), onChange: (row, info) => change({ row, info }) }
          : null,
      ),
    [isAdmin, change],
  );
  const archived = rows?.filter((row) => row.archived === 1) ?? [];
  return (
    <>
      <div className="spread">
        <h2>{messages.heading}</h2>
        <May call="addTag">
          <Button aria-haspopup="dialog" onClick={() => setOpen('new')}>
            {messages.add}
          </Button>
        </May>
      </div>
      {isError && tags === undefined ? (
        <LoadFailed what={messages.heading} error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label={messages.heading}
          columns={columns}
          rows={rows && inUse(rows)}
          rowId={({ id }) => id}
          empty={<EmptyState kind="none" title={messages.none} help={messages.noneHelp} />}
        />
      )}
      <ArchivedRows label={messages.archived(archived.length)} columns={columns} rows={archived} />
      <TagDialogs open={open} tags={rows ?? []} onClose={() => setOpen(null)} />
    </>
  );
}

interface DialogsProps {
  readonly open: Open | null;
  readonly tags: readonly Row[];
  readonly onClose: () => void;
}

/** Shows the dialog of an act on a tag: as stored now, also after another admin's change. */
function TagDialogs({ open, tags, onClose }: DialogsProps) {
  const act = open === null || open === 'new' ? undefined : open;
  const chosen = tags.find(({ id }) => id === act?.id);
  return (
    <PartBoundary>
      {open === 'new' ? <TagDialog stored={null} onClose={onClose} /> : null}
      {chosen !== undefined && act?.act === 'edit' ? (
        <TagDialog key={chosen.id} stored={chosen} onClose={onClose} />
      ) : null}
      {chosen !== undefined && act?.act === 'merge' ? <MergeDialog tag={chosen} tags={tags} onClose={onClose} /> : null}
    </PartBoundary>
  );
}

interface Acts {
  readonly onOpen: (act: 'edit' | 'merge', tag: Tag) => void;
  readonly onChange: (tag: Tag, info: { readonly archived: 0 | 1 }) => void;
}

const columnsOf = (acts: Acts | null): readonly Column<Row>[] => [
  {
    id: 'label',
    header: messages.columns.label,
    width: 160,
    fits: ({ label }) => label,
    beside: 18,
    most: 240,
    cut: true,
    isRowHeader: true,
    titleOf: ({ label }) => label,
    render: ({ label, colour }) => <TagMark label={label} colour={colour} />,
  },
  textColumn('companies', messages.columns.companies, ({ isCounted, companies }) =>
    isCounted ? OWN_FIELD_MESSAGES.companies(companies ?? 0) : OWN_FIELD_MESSAGES.counting,
  ),
  ...(acts === null ? [] : [menu(acts)]),
];

const menu = ({ onOpen, onChange }: Acts): Column<Row> =>
  menuColumn({
    header: messages.columns.act,
    nameOf: ({ label }) => messages.actsOf(label),
    acts(tag) {
      const entry = (act: keyof typeof messages.acts, onPress: () => void) => (
        <button type="button" onClick={onPress}>
          {messages.acts[act]}
        </button>
      );
      if (tag.archived === 1)
        return (
          <>
            {entry('restore', () => onChange(tag, { archived: 0 }))}
            {entry('merge', () => onOpen('merge', tag))}
          </>
        );
      return (
        <>
          {entry('edit', () => onOpen('edit', tag))}
          {entry('merge', () => onOpen('merge', tag))}
          {entry('archive', () => onChange(tag, { archived: 1 }))}
        </>
      );
    },
  });
