import { useEffect } from 'react';
import { create } from 'zustand';

/**
 * The chosen companies of the page on screen. Another page, order or condition begins with none, so that no act
 * changes a company that was chosen out of sight.
 */
interface Selection {
  /** The ids of the page on screen. */
  readonly page: readonly number[];
  readonly ids: ReadonlySet<number>;
  /** All companies of the condition are chosen, those of other pages too. */
  readonly isAll: boolean;
}

const NONE = { ids: new Set<number>(), isAll: false };

export const useSelection = create<Selection>()(() => ({ page: [], ...NONE }));

export const clearSelection = (): void => useSelection.setState(NONE);

export const selectAll = (): void => useSelection.setState(({ page }) => ({ ids: new Set(page), isAll: true }));

/** Chooses one company of the page or no longer. Without it, not all of the condition are chosen. */
export function selectOne(id: number, isSelected: boolean): void {
  useSelection.setState(({ ids, isAll }) => {
    const others = [...ids].filter((other) => other !== id);
    return isSelected ? { ids: new Set([...others, id]), isAll } : { ids: new Set(others), isAll: false };
  });
}

export function selectPage(isSelected: boolean): void {
  useSelection.setState(({ page }) => (isSelected ? { ids: new Set(page) } : NONE));
}

/** Keeps the choice among the rows that are still there. */
function showPage(page: readonly number[]): void {
  useSelection.setState(({ ids, isAll }) => ({
    page,
    ids: isAll ? new Set(page) : ids.size === 0 ? ids : new Set(page.filter((id) => ids.has(id))),
  }));
}

/** How many rows of the page are chosen. */
type PageSelection = 'none' | 'some' | 'all';

export const pageSelection = ({ page, ids }: Selection): PageSelection => {
  if (ids.size === 0) return 'none';
  return page.every((id) => ids.has(id)) ? 'all' : 'some';
};

/**
 * Makes the choice one of these rows.
 *
 * @param view identifies the page: its condition, order and number
 */
export function useSelectionOf(view: string, rows: readonly { readonly id: number }[] | undefined): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the choice ends with the view
  useEffect(() => clearSelection, [view]);
  useEffect(() => showPage(rows?.map(({ id }) => id) ?? []), [rows]);
}
