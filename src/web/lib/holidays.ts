import { queryOptions } from '@tanstack/react-query';

/**
 * Names of Japanese holidays by day. Of the package only the table is read (its functions go by the browser's zone), and it comes
 * after the page: the pickers work without it.
 */
export const holidays = queryOptions({
  queryKey: ['holidays'],
  queryFn: async (): Promise<Readonly<Record<string, { readonly name: string }>>> =>
    (await import('@holiday-jp/holiday_jp/lib/holidays.js')).default,
  staleTime: Number.POSITIVE_INFINITY,
  meta: { quiet: true },
});
