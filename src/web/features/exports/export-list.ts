import { queryOptions } from '@tanstack/react-query';
import { EXPORT_DAYS } from '#domain/limits.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';

export const EXPORT_LIST = 'export_list';

export type Export = AnswerOf<'listExports'>[number];

export const isOpen = ({ state }: Export): boolean => state === 'queued' || state === 'running';

/** Fetches the recent exports, newest first, without those whose file has expired. */
export const exportList = queryOptions({
  queryKey: [EXPORT_LIST] as const,
  queryFn: async ({ signal }): Promise<Export[]> => unwrap(await call('listExports', {}, { signal })),
  select: (exports) => {
    const oldest = formatSecond(serverNow() - EXPORT_DAYS * DAY_MS);
    return exports.filter((one) => (one.state === 'done' ? one.file !== null : one.created_at > oldest));
  },
  staleTime: 0,
  meta: { quiet: true },
});
