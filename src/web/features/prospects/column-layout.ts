import { useState } from 'react';
import type { ProspectColumn } from '#contract/companies/prospects-filter.ts';
import { type Column, fittingWidth } from '#web/components/data-table/column.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { keep, readKept } from '#web/lib/session/kept.ts';

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

/** Returns the layout's change that shows exactly the columns of a preset. */
export function presetLayout(columns: readonly Column<never>[], preset: keyof typeof PRESETS) {
  const shows = ({ id }: Column<never>): boolean => PRESETS[preset]?.includes(id) ?? true;
  const own = columns.filter(({ pinnedAt }) => pinnedAt === undefined);
  return {
    hidden: own.filter((column) => !column.isOptional && !shows(column)).map(({ id }) => id),
    optional: own.filter((column) => column.isOptional && shows(column)).map(({ id }) => id),
  };
}

const isProspectColumn = (id: string): id is ProspectColumn => Object.hasOwn(DATA_MESSAGES.prospects.columns, id);

/** Returns the shown columns that hold values of companies. */
export function shownColumns(columns: readonly Column<never>[]): ProspectColumn[] {
  const layout = readLayout();
  const shown = columns.filter((column) => isShown(layout, column));
  return shown.map(({ id }) => id).filter(isProspectColumn);
}

/** Returns the user's layout and a function that changes and stores it. */
export function useColumnLayout(): [ColumnLayout, (change: Partial<ColumnLayout>) => void] {
  const [layout, setLayout] = useState(readLayout);
  function change(part: Partial<ColumnLayout>): void {
    const next = { ...layout, ...part };
    setLayout(next);
    keep('columns', JSON.stringify(next));
  }
  return [layout, change];
}
