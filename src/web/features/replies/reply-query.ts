import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { CallAnswer, CallInput } from '#contract/call.ts';
import type { addReply, ReplyRow, updateReply, viewReplies } from '#contract/replies.ts';
import { callApi } from '#web/lib/api-client.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { COMPANY, DELIVERIES } from '#web/lib/query-keys.ts';
import { reloadLists } from '#web/lib/reload-lists.ts';

export type Reply = ReplyRow;
export type ReplyChange = CallInput<typeof updateReply>['body']['update_info'];

/** The latest answers of a company. */
export const companyReplies = (prospectId: number) =>
  queryOptions({
    // Below the company, so that what reloads it reloads them.
    queryKey: [COMPANY, prospectId, 'replies'],
    queryFn: async ({ signal }): Promise<CallAnswer<typeof viewReplies>> => {
      // Robots answer often. An open answer behind theirs would stop the company, and nobody could handle it.
      const query = { prospect_id: prospectId, pagenate_count: 200 };
      return unwrap(await callApi<typeof viewReplies>('GET', '/reply/view', { query }, { signal }));
    },
    staleTime: 0,
  });

export async function putReply(id: number, update_info: ReplyChange): Promise<void> {
  unwrap(await callApi<typeof updateReply>('PUT', '/reply/:id', { params: { id: String(id) }, body: { update_info } }));
}

export const postReply = (add_info: CallInput<typeof addReply>['body']['add_info'], key: string) =>
  callApi<typeof addReply>('POST', '/reply', { body: { add_info } }, { headers: { 'Idempotency-Key': key } });

/** Reloads all that shows who has answered. */
export function reloadReplies(client: QueryClient): void {
  for (const name of [COMPANY, DELIVERIES]) void client.invalidateQueries({ queryKey: [name] });
  reloadLists(client);
}
