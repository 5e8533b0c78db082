import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ProspectColumn } from '#contract/companies/prospects-filter.ts';
import { MAX_OWN_COLUMNS } from '#domain/limits.ts';
import { type Column, fittingWidth } from '#web/components/data-table/column.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { keep, readKept } from '#web/lib/session/kept.ts';
import { sessionSlice } from '#web/lib/session/session-store.ts';
import { type ProspectQuery, prospectList } from './view-prospects.ts';

/**
 * The columns that the user has hidden, the optional ones chosen, and the chosen widths, by id.
 * Other columns have their defaults.
 */
export interface ColumnLayout {
  readonly hidden: readonly string[];
  /** The shown optional columns. Others stay hidden, also in layouts that are older than the column. */
  readonly optional: readonly string[];
  /** In px. */
  readonly widths: Readonly<Record<string, number>>;
}

const DEFAULT_LAYOUT: ColumnLayout = { hidden: [], optional: [], widths: {} };

/** Reads the layout from the browser's storage. Invalid data, or no storage, result in the default. */
function readLayout(): ColumnLayout {
  try {
    const { hidden, optional, widths } = JSON.parse(readKept('columns') ?? '{}') as Partial<
      Record<keyof ColumnLayout, unknown>
    >;
    const numbers = Object.entries(widths ?? {}).filter(([, width]) => Number.isFinite(width));
    return {
      hidden: idsOf(hidden),
      optional: idsOf(optional),
      widths: Object.fromEntries(numbers.map(([id, width]) => [id, fittingWidth(width as number)])),
    };
  } catch {
    return DEFAULT_LAYOUT;
  }
}

const idsOf = (ids: unknown): readonly string[] =>
  Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];

/** Begins the ids of the own columns: of tags, of the 主担当, and of own fields. */
export const OWN = 'own.';

/** Returns the names of the shown own columns, as the server knows them. */
export const shownOwn = ({ optional }: ColumnLayout): readonly string[] =>
  optional.flatMap((id) => (id.startsWith(OWN) ? id.slice(OWN.length) : []));

/** Returns the parameter of the list that adds the shown own columns to its rows. */
export function ownColumns(layout: ColumnLayout): { own_columns?: string } {
  const shown = shownOwn(layout).slice(0, MAX_OWN_COLUMNS);
  return shown.length === 0 ? {} : { own_columns: shown.join() };
}

/** Whether a layout shows a column. */
export const isShown = (layout: ColumnLayout, { id, pinnedAt, isOptional }: Column<never>): boolean =>
  pinnedAt !== undefined || (isOptional ? layout.optional.includes(id) : !layout.hidden.includes(id));

/** Returns the layout's change that shows or hides a column. */
export function showColumn(layout: ColumnLayout, column: Column<never>, shows: boolean): Partial<ColumnLayout> {
  const name = column.isOptional ? 'optional' : 'hidden';
  const others = layout[name].filter((id) => id !== column.id);
  return { [name]: shows === (name === 'optional') ? [...others, column.id] : others };
}

/** Named sets of columns: the ids shown besides the pinned ones; null: all. */
export const PRESETS: Readonly<Record<'all' | 'sales' | 'sending', readonly string[] | null>> = {
  all: null,
  sales: [
    'status',
    'remarks',
    'company_email',
    'ceo',
    'major_industry_type',
    'address',
    'number_of_employees',
    'amount_of_sales',
    'company_url',
    'phone',
  ],
  sending: [
    'status',
    'sent_at',
    'send_at',
    'remarks',
    'company_email',
    'ceo',
    'published_at_url',
    'published_seen_on',
    'publication_notice',
  ],
};

/** Returns the layout's change that shows exactly the columns of a preset. Own columns, which none knows, stay. */
export function presetLayout(columns: readonly Column<never>[], preset: keyof typeof PRESETS, layout: ColumnLayout) {
  const shows = ({ id }: Column<never>): boolean => PRESETS[preset]?.includes(id) ?? true;
  const movable = columns.filter(({ pinnedAt }) => pinnedAt === undefined);
  return {
    hidden: movable.filter((column) => !column.isOptional && !shows(column)).map(({ id }) => id),
    optional: [
      ...movable.filter((column) => column.isOptional && shows(column)).map(({ id }) => id),
      ...layout.optional.filter((id) => id.startsWith(OWN)),
    ],
  };
}

const isProspectColumn = (id: string): id is ProspectColumn => Object.hasOwn(DATA_MESSAGES.prospects.columns, id);

/** Returns the shown columns that hold values of companies. */
export function shownColumns(columns: readonly Column<never>[]): ProspectColumn[] {
  const layout = columnLayout();
  const shown = columns.filter((column) => isShown(layout, column));
  return shown.map(({ id }) => id).filter(isProspectColumn);
}

interface ColumnState {
  /** null: what the browser keeps for the member. */
  readonly column_layout: ColumnLayout | null;
}

/** Begins anew at each load of the page: another tab may have changed the columns. */
const useColumns = sessionSlice<ColumnState>(() => ({ column_layout: null }));

/** Returns the user's layout. */
export const columnLayout = (): ColumnLayout => useColumns.getState().column_layout ?? readLayout();

/** Returns the user's layout, in all lists at once, and a function that changes and stores it. */
export function useColumnLayout(): [ColumnLayout, (change: Partial<ColumnLayout>) => void] {
  const chosen = useColumns((state) => state.column_layout);
  const layout = useMemo(() => chosen ?? readLayout(), [chosen]);
  return [layout, changeLayout];
}

function changeLayout(part: Partial<ColumnLayout>): void {
  const next = { ...columnLayout(), ...part };
  useColumns.setState({ column_layout: next });
  keep('columns', JSON.stringify(next));
}

/** Shows own columns in all lists besides the shown ones, and keeps that. Those above the most stay hidden. */
export function showOwn(names: readonly string[]): void {
  const layout = columnLayout();
  const wanted = names.map((name) => OWN + name).filter((id) => !layout.optional.includes(id));
  const room = Math.max(0, MAX_OWN_COLUMNS - shownOwn(layout).length);
  changeLayout({ optional: [...layout.optional, ...wanted.slice(0, room)] });
}

/** Returns the query of a list with the own columns that the user has chosen. */
export const withOwnColumns = (query: ProspectQuery, layout = columnLayout()): ProspectQuery => ({
  ...query,
  ...ownColumns(layout),
});

/** Loads one page of the list with the own columns that the user has chosen. */
export function useProspectList(query: ProspectQuery) {
  const [layout] = useColumnLayout();
  return useQuery(prospectList(withOwnColumns(query, layout)));
}
