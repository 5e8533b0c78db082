import { queryOptions } from '@tanstack/react-query';
import { call, type InputOf, pathOf } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { SENDER_GROUP_LIST } from '#web/lib/api/query-keys.ts';

export interface SenderGroup {
  readonly id: number;
  readonly group_name: string;
}

const queryOf = (accountId: number): InputOf<'listSenderGroups'>['query'] => ({
  where_info: { account_id: accountId, active: 1 },
  columns: ['id', 'group_name'],
});

export const senderGroupPath = (accountId: number): string => pathOf('listSenderGroups', { query: queryOf(accountId) });

async function fetchGroups(accountId: number, signal: AbortSignal): Promise<SenderGroup[]> {
  const query = queryOf(accountId);
  const answer = await call('listSenderGroups', { query }, { signal });
  return unwrap(answer).flatMap(({ id, group_name }) => (id === undefined ? [] : { id, group_name: group_name ?? '' }));
}

export const senderGroupList = (accountId: number) =>
  queryOptions({
    queryKey: [SENDER_GROUP_LIST, accountId],
    queryFn: ({ signal }) => fetchGroups(accountId, signal),
    // Screens that go on without the groups tell it (use-told-error.ts).
    meta: SHOWN_IN_PLACE,
  });
