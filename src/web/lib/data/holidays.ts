import { queryOptions } from '@tanstack/react-query';

/**
 * Loads the names of Japanese holidays by day.
 * Only the package's table is used, because its functions use the browser's time zone. It loads after the page: the
 * pickers work without it.
 */
export const holidays = queryOptions({
  queryKey: ['holidays'],
  queryFn: async (): Promise<Readonly<Record<string, { readonly name: string }>>> =>
    (await import('@holiday-jp/holiday_jp/lib/holidays.js')).default,
  staleTime: Number.POSITIVE_INFINITY,
  meta: { quiet: true },
});
