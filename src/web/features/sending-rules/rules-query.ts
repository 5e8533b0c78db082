import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/call.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { SENDING_RULES } from '#web/lib/query-keys.ts';
import type { GroupRules } from './hours/hours-form.ts';

/** The rules of a group, and what they say now. */
export const groupRules = (groupId: number) =>
  queryOptions({
    queryKey: [SENDING_RULES, groupId],
    queryFn: async ({ signal }): Promise<GroupRules> =>
      unwrap(await call('getSendingRules', { params: { sender_group_id: String(groupId) } }, { signal })),
    // It says what holds now.
    staleTime: 0,
  });

/** Reloads what the screens show of hours and closing days. */
export async function reloadRules(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ queryKey: [SENDING_RULES] });
}
