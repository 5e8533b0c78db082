import { queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/call.ts';
import { unwrap } from '#web/lib/query-client.ts';

/** Counts younger than this are shown again. */
const SENT_FRESH_MS = 5 * 60_000;

/**
 * Mails that each template has sent lately, by its id. They take longer to count than the list takes to load, so the
 * list is shown without them, and a recent count is not repeated.
 */
export const sentCounts = queryOptions({
  queryKey: ['template_sent'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<number, number>> => {
    const query = { columns: ['id', 'sent'] };
    const answer = await call('listMailTemplates', { query }, { signal });
    return new Map(unwrap(answer).flatMap(({ id, sent }) => (id === undefined ? [] : [[id, sent ?? 0] as const])));
  },
  staleTime: SENT_FRESH_MS,
  gcTime: SENT_FRESH_MS,
  // The list of the same screen reports that the server cannot be reached.
  meta: { quiet: true },
});
