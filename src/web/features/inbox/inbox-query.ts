import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { INBOX } from '#web/lib/api/query-keys.ts';

export type InboxState = AnswerOf<'getInbox'>;

/** The poll interval in ms: the server reads the mailbox each minute. */
const POLL_MS = 60_000;

/** Fetches the state of the mailbox for bounces and replies. */
export const inboxState = queryOptions({
  queryKey: [INBOX],
  meta: SHOWN_IN_PLACE,
  queryFn: async ({ signal }): Promise<InboxState> => unwrap(await call('getInbox', {}, { signal })),
  refetchInterval: POLL_MS,
});
