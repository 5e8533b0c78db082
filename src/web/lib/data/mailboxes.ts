import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call } from '../api/call.ts';
import { unwrap } from '../api/query-client.ts';
import { FIRST_STEPS, MAILBOX_LIST, SENDER_LIST, SENDER_PROFILE_LIST, SENDER_SETTINGS } from '../api/query-keys.ts';
import type { CompleteRow } from './complete-row.ts';

export type Mailbox = CompleteRow<AnswerOf<'listMailboxes'>[number]>;

/** Fetches all mailboxes of the account. */
export const mailboxList = queryOptions({
  queryKey: [MAILBOX_LIST],
  queryFn: async ({ signal }) => {
    const rows = unwrap(await call('listMailboxes', { query: {} }, { signal }));
    // Without `columns` a row has all of them.
    return rows as readonly Mailbox[];
  },
});

/** Reloads the mailboxes, and what screens show of the senders that use them. */
export async function reloadMailboxes(client: QueryClient): Promise<void> {
  const names = [MAILBOX_LIST, SENDER_SETTINGS, SENDER_PROFILE_LIST, SENDER_LIST, FIRST_STEPS];
  await Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] })));
}
