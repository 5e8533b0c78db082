import { queryOptions } from '@tanstack/react-query';
import type { CallAnswer } from '#contract/call.ts';
import type { getInbox } from '#contract/inbox.ts';
import { callApi } from '#web/lib/api-client.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { INBOX } from '#web/lib/query-keys.ts';

export type InboxState = CallAnswer<typeof getInbox>;

/** A worker looks into the mailbox each minute. */
const POLL_MS = 60_000;

/** The state of the mailbox of bounces and answers. */
export const inboxState = queryOptions({
  queryKey: [INBOX],
  queryFn: async ({ signal }): Promise<InboxState> =>
    unwrap(await callApi<typeof getInbox>('GET', '/inbox', {}, { signal })),
  refetchInterval: POLL_MS,
});
