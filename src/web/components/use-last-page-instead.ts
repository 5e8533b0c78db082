import { useEffect } from 'react';

/**
 * Opens the last page if the requested page no longer exists.
 *
 * @param total rows of all pages; undefined: loading
 */
export function useLastPageInstead(
  total: number | undefined,
  page: number,
  size: number,
  onPage: (page: number) => void,
): void {
  useEffect(() => {
    if (total === undefined) return;
    const last = Math.max(1, Math.ceil(total / size));
    if (page > last) onPage(last);
  }, [total, page, size, onPage]);
}
