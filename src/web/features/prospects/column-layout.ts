import { useState } from 'react';
import { fittingWidth } from '#web/components/data-table/column.ts';
import { useSession } from '#web/lib/session-store.ts';

/** Which columns a person wants to see, and how wide: by id. What is not named is shown, in its own width. */
export interface ColumnLayout {
  readonly hidden: readonly string[];
  /** In px. */
  readonly widths: Readonly<Record<string, number>>;
}

const AS_MADE: ColumnLayout = { hidden: [], widths: {} };

/** One for each account of this browser. It outlives the session, and holds nothing but names of columns and numbers. */
export const layoutKey = (accountId: number): string => `kaitaku-columns-${accountId}`;

/** What is not a layout (older, damaged, or the browser keeps nothing) counts as none. */
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
    return AS_MADE;
  }
}

function keepLayout(key: string, layout: ColumnLayout): void {
  try {
    localStorage.setItem(key, JSON.stringify(layout));
  } catch {
    // A browser that keeps nothing shows the layout until the page is left.
  }
}

/** The layout of who is logged in; a change is kept at once, null goes back to how the table is made. */
export function useColumnLayout(): [ColumnLayout, (change: Partial<ColumnLayout> | null) => void] {
  const key = layoutKey(useSession((state) => state.current_user?.id ?? 0));
  const [layout, setLayout] = useState(() => readLayout(key));
  function change(part: Partial<ColumnLayout> | null): void {
    const next = part === null ? AS_MADE : { ...layout, ...part };
    setLayout(next);
    keepLayout(key, next);
  }
  return [layout, change];
}
