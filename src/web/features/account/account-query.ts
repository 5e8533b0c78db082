import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { type CurrentUser, useSession } from '#web/lib/session/session-store.ts';

/** The account; it has no version before it has loaded. */
export type Account = Omit<AnswerOf<'getAccount'>, 'version' | 'member' | 'is_demo' | 'has_primary_email'> &
  Pick<CurrentUser, 'member' | 'is_demo' | 'has_primary_email'> &
  Partial<Pick<AnswerOf<'getAccount'>, 'version'>>;

/** Updates the name in the header, and the addresses of the session's user. */
function updateCurrentUser({ version: _version, ...user }: Account): void {
  if (useSession.getState().current_user?.id === user.id) useSession.setState({ current_user: user });
}

async function fetchAccount(id: number, signal: AbortSignal): Promise<Account> {
  const input = { params: { id: String(id) } };
  const account = unwrap(await call('getAccount', input, { signal }));
  updateCurrentUser(account);
  return account;
}

export const accountQuery = (user: CurrentUser) =>
  queryOptions({
    queryKey: ['account', user.id],
    meta: SHOWN_IN_PLACE,
    queryFn: ({ signal }) => fetchAccount(user.id, signal),
    placeholderData: { email_before_confirmation: null, ...user },
  });

/** Reads the role and groups of the member again. */
export function readMember(client: QueryClient): void {
  const { current_user: user } = useSession.getState();
  if (user !== null) void client.prefetchQuery({ ...accountQuery(user), staleTime: 0 });
}

/** Reloads the account, which somebody else has changed. */
export const reloadAccount = (client: QueryClient, id: number): Promise<void> =>
  client.invalidateQueries({ queryKey: ['account', id] });

/** Shows a saved change at once, and reloads the account. */
export async function changeAccount(client: QueryClient, id: number, change: Partial<Account>): Promise<void> {
  const queryKey = ['account', id];
  // A pending first request may have the old values, and the library would not send a second one.
  await client.cancelQueries({ queryKey });
  client.setQueriesData<Account>({ queryKey }, (account) => account && { ...account, ...change });
  void client.invalidateQueries({ queryKey });
}
