import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';

type Body = InputOf<'changeProspects'>['body'];
/** An action on the companies with these ids, or on all that match a condition. */
export type BulkOrder = Omit<Body, 'dry_run'>;
export type BulkAnswer = AnswerOf<'changeProspects'>;

const post = async (body: Body, signal?: AbortSignal): Promise<BulkAnswer> =>
  unwrap(await call('changeProspects', { body }, signal ? { signal } : {}));

/** Fetches what the action would change. The text of remarks does not affect it. */
export const bulkCheck = (order: BulkOrder) => {
  const tried = order.act === 'append_remarks' ? { ...order, remarks: '-' } : order;
  return queryOptions({
    queryKey: ['bulk_check', tried] as const,
    queryFn: ({ signal }) => post({ ...tried, dry_run: 1 }, signal),
    staleTime: 0,
    gcTime: 0,
    meta: { quiet: true },
  });
};

/** Performs the action. The lists reload after a failure too, because a long action may be half done. */
export function useBulkChange() {
  const client = useQueryClient();
  return useMutation({ mutationFn: (order: BulkOrder) => post(order), onSettled: () => reloadLists(client) });
}
