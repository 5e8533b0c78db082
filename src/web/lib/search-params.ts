/** The first page has no parameter. */
export const pageChange = (page: number) => ({ page: page === 1 ? undefined : page });

/** Returns the address with changed values. Undefined and empty values are removed. */
export function changedSearch(
  search: URLSearchParams,
  change: Readonly<Record<string, string | number | undefined>>,
): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, String(value));
  }
  return next;
}
