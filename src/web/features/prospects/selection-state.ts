import { useEffect } from 'react';
import { create } from 'zustand';

/**
 * The chosen companies of the page on screen. Another page, order or condition clears them, so that no action changes
 * a company that is not visible.
 */
interface Selection {
  /** The ids of the page on screen. */
  readonly page: readonly number[];
  readonly ids: ReadonlySet<number>;
  /** Whether all companies that match are chosen, including those of other pages. */
  readonly isAll: boolean;
}

const NONE = { ids: new Set<number>(), isAll: false };

export const useSelection = create<Selection>()(() => ({ page: [], ...NONE }));

export const clearSelection = (): void => useSelection.setState(NONE);

export const selectAll = (): void => useSelection.setState(({ page }) => ({ ids: new Set(page), isAll: true }));

/** Selects or deselects one company of the page. Deselecting also ends the selection of all that match. */
export function selectOne(id: number, isSelected: boolean): void {
  useSelection.setState(({ ids, isAll }) => {
    const others = [...ids].filter((other) => other !== id);
    return isSelected ? { ids: new Set([...others, id]), isAll } : { ids: new Set(others), isAll: false };
  });
}

export function selectPage(isSelected: boolean): void {
  useSelection.setState(({ page }) => (isSelected ? { ids: new Set(page) } : NONE));
}

/** Removes companies from the selection that are no longer on the page. */
function showPage(page: readonly number[]): void {
  useSelection.setState(({ ids, isAll }) => ({
    page,
    ids: isAll ? new Set(page) : ids.size === 0 ? ids : new Set(page.filter((id) => ids.has(id))),
  }));
}

/** How many rows of the page are selected. */
type PageSelection = 'none' | 'some' | 'all';

export const pageSelection = ({ page, ids }: Selection): PageSelection => {
  if (ids.size === 0) return 'none';
  return page.every((id) => ids.has(id)) ? 'all' : 'some';
};

/**
 * Manages the selection of these rows.
 *
 * @param view identifies the page: its condition, order and number
 */
export function useSelectionOf(view: string, rows: readonly { readonly id: number }[] | undefined): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the choice ends with the view
  useEffect(() => clearSelection, [view]);
  useEffect(() => showPage(rows?.map(({ id }) => id) ?? []), [rows]);
}
