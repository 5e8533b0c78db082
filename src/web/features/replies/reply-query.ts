import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { ReplyRow } from '#contract/answers/replies.ts';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { COMPANY, DELIVERIES } from '#web/lib/api/query-keys.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';

export type Reply = ReplyRow;
export type ReplyChange = InputOf<'updateReply'>['body']['update_info'];

/** Fetches the latest replies of a company. */
export const companyReplies = (prospectId: number) =>
  queryOptions({
    // Below the company's key, so that a reload of the company includes it.
    queryKey: [COMPANY, prospectId, 'replies'],
    meta: SHOWN_IN_PLACE,
    queryFn: async ({ signal }): Promise<AnswerOf<'viewReplies'>> => {
      // 200, because an open reply hidden behind automatic ones would block the company, and nobody could handle it.
      const query = { prospect_id: prospectId, pagenate_count: 200 };
      return unwrap(await call('viewReplies', { query }, { signal }));
    },
    staleTime: 0,
  });

export async function putReply(id: number, update_info: ReplyChange): Promise<void> {
  unwrap(await call('updateReply', { params: { id: String(id) }, body: { update_info } }));
}

export const postReply = (add_info: InputOf<'addReply'>['body']['add_info'], key: string) =>
  call('addReply', { body: { add_info } }, { headers: { 'Idempotency-Key': key } });

/** Reloads all queries that show who has replied. */
export function reloadReplies(client: QueryClient): void {
  for (const name of [COMPANY, DELIVERIES]) void client.invalidateQueries({ queryKey: [name] });
  reloadLists(client);
}
