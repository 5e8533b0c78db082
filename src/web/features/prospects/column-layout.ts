import { useState } from 'react';
import type { ProspectColumn } from '#contract/prospect-columns.ts';
import { type Column, fittingWidth } from '#web/components/data-table/column.ts';
import { useSession } from '#web/lib/session-store.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';

/** The hidden columns and the chosen widths, by id. Others are shown, in their default width. */
export interface ColumnLayout {
  readonly hidden: readonly string[];
  /** In px. */
  readonly widths: Readonly<Record<string, number>>;
}

const DEFAULT_LAYOUT: ColumnLayout = { hidden: [], widths: {} };

/** The localStorage key of an account's layout. It outlives the session: it holds ids of columns and numbers alone. */
export const layoutKey = (accountId: number): string => `kaitaku-columns-${accountId}`;

/** Reads a layout. Data of another shape, or a browser without storage, give the default. */
function readLayout(key: string): ColumnLayout {
  try {
    const { hidden, widths } = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<
      Record<keyof ColumnLayout, unknown>
    >;
    const numbers = Object.entries(widths ?? {}).filter(([, width]) => Number.isFinite(width));
    return {
      hidden: Array.isArray(hidden) ? hidden.filter((id) => typeof id === 'string') : [],
      widths: Object.fromEntries(numbers.map(([id, width]) => [id, fittingWidth(width as number)])),
    };
  } catch {
    return DEFAULT_LAYOUT;
  }
}

function storeLayout(key: string, layout: ColumnLayout): void {
  try {
    localStorage.setItem(key, JSON.stringify(layout));
  } catch {
    // Without storage the layout lasts until the page is closed.
  }
}

const isProspectColumn = (id: string): id is ProspectColumn => Object.hasOwn(COMMON_MESSAGES.prospects.columns, id);

/** Returns the columns on screen whose values companies have. */
export function shownColumns(columns: readonly Column<never>[]): ProspectColumn[] {
  const { hidden } = readLayout(layoutKey(useSession.getState().current_user?.id ?? 0));
  const shown = columns.filter(({ id, pinnedAt }) => pinnedAt !== undefined || !hidden.includes(id));
  return shown.map(({ id }) => id).filter(isProspectColumn);
}

/** Returns the user's layout and a function that changes and stores it; null restores the default. */
export function useColumnLayout(): [ColumnLayout, (change: Partial<ColumnLayout> | null) => void] {
  const key = layoutKey(useSession((state) => state.current_user?.id ?? 0));
  const [layout, setLayout] = useState(() => readLayout(key));
  function change(part: Partial<ColumnLayout> | null): void {
    const next = part === null ? DEFAULT_LAYOUT : { ...layout, ...part };
    setLayout(next);
    storeLayout(key, next);
  }
  return [layout, change];
}
