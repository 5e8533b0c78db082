import { useQuery } from '@tanstack/react-query';
import { lazy, useMemo } from 'react';
import type { Column } from '#web/components/data-table/column.ts';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { textColumn, widestOf } from '#web/components/data-table/text-column.ts';
import { menuColumn } from '#web/components/dialog/row-menu.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { inUse, type OwnField } from '#web/lib/data/own/own-fields.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { ArchivedRows } from './archived-rows.tsx';
import { fieldCounts, fieldList, putField, useChange } from './own-fields-query.ts';
import { OWN_FIELD_MESSAGES as messages } from './words.ts';

const FieldDialog = lazy(() => loadPart(() => import('./field-dialog.tsx')));

const { columns: header } = messages;

/** A field, with its numbers once they are counted. */
interface Row extends OwnField {
  readonly isCounted: boolean;
}

interface Props {
  /** The field in the dialog; 'new': a field is added; null: none. */
  readonly open: number | 'new' | null;
  readonly onOpen: (open: number | null) => void;
}

/** Lists the own fields in their order, with a menu of acts for admins. */
export function FieldList({ open, onOpen }: Props) {
  const isAdmin = useMay('updateCustomField');
  const { data: fields, isError, error, refetch } = useQuery(fieldList);
  const { data: counts } = useQuery(fieldCounts);
  const change = useChange<Change>(putField, messages);
  const rows = useMemo(
    () => fields?.map((field): Row => ({ ...field, ...countsOf(counts?.get(field.id)) })),
    [fields, counts],
  );
  const shown = useMemo(() => rows && inUse(rows), [rows]);
  const columns = useMemo(
    () =>
      columnsOf(
        isAdmin
          ? { shown: shown ?? [], onEdit: ({ id }) => onOpen(id), onChange: (row, info) => change({ row, info }) }
          : null,
      ),
    [isAdmin, shown, onOpen, change],
  );
  if (isError && fields === undefined)
    return <LoadFailed what={messages.heading} error={error} onRetry={() => void refetch()} />;
  const archived = rows?.filter((row) => row.archived === 1) ?? [];
  // The dialog shows what is stored now, also after another admin's change.
  const edited = fields?.find(({ id }) => id === open);
  return (
    <>
      <DataTable
        label={messages.heading}
        columns={columns}
        rows={shown}
        rowId={({ id }) => id}
        empty={<EmptyState kind="none" title={messages.none} help={messages.noneHelp} />}
      />
      <ArchivedRows label={messages.archived(archived.length)} columns={columns} rows={archived} />
      <PartBoundary>
        {open === 'new' ? <FieldDialog stored={null} onClose={() => onOpen(null)} /> : null}
        {edited === undefined ? null : <FieldDialog key={edited.id} stored={edited} onClose={() => onOpen(null)} />}
      </PartBoundary>
    </>
  );
}

const countsOf = (counted: OwnField | undefined) =>
  counted === undefined
    ? { isCounted: false, companies: null, templates: null }
    : { isCounted: true, companies: counted.companies, templates: counted.templates };

/** What an act changes of a field: its place, or whether it is in use. */
interface Change {
  readonly archived?: 0 | 1;
  readonly position?: number;
}

const number = (row: Row, value: number | null, shown: (value: number) => string): string =>
  row.isCounted ? shown(value ?? 0) : messages.counting;

interface Acts {
  /** The fields in use, in their order. */
  readonly shown: readonly OwnField[];
  readonly onEdit: (field: OwnField) => void;
  readonly onChange: (field: OwnField, info: Change) => void;
}

const columnsOf = (acts: Acts | null): readonly Column<Row>[] => [
  textColumn('label', header.label, ({ label }) => label, { width: 120, most: 320, cut: true, isRowHeader: true }),
  textColumn('type', header.type, ({ type }) => messages.types[type], {
    fits: () => widestOf(Object.values(messages.types)),
  }),
  textColumn('key', header.key, ({ key }) => messages.mergeField(key), { width: 120, most: 340, cut: true }),
  textColumn('companies', header.companies, (row) => number(row, row.companies, messages.companies)),
  textColumn('templates', header.templates, (row) => number(row, row.templates, messages.templates)),
  ...(acts === null ? [] : [menu(acts)]),
];

const menu = ({ shown, onEdit, onChange }: Acts): Column<Row> =>
  menuColumn({
    header: header.act,
    nameOf: ({ label }) => messages.actsOf(label),
    acts(field) {
      const entry = (act: keyof typeof messages.acts, onPress: () => void) => (
        <button type="button" onClick={onPress}>
          {messages.acts[act]}
        </button>
      );
      if (field.archived === 1) return entry('restore', () => onChange(field, { archived: 0 }));
      const at = shown.findIndex(({ id }) => id === field.id);
      const [above, below] = [shown[at - 1], shown[at + 1]];
      return (
        <>
          {entry('edit', () => onEdit(field))}
          {above && entry('up', () => onChange(field, { position: above.position }))}
          {below && entry('down', () => onChange(field, { position: below.position }))}
          {entry('archive', () => onChange(field, { archived: 1 }))}
        </>
      );
    },
  });
