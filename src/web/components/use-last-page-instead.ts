import { useEffect } from 'react';

/**
 * A page that is no longer there (fewer rows match now) gives way to the last one.
 *
 * @param total rows of all pages; undefined: not known yet
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
