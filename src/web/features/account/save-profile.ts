import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '#web/lib/call.ts';
import { hasCode, unwrap } from '#web/lib/query-client.ts';
import { changeAccount, reloadAccount } from './account-query.ts';

/** The editable items of an account. A new address has its own field until it is confirmed. */
export type ProfileItem = 'email_before_confirmation' | 'name' | 'company';

/** @param version of the item as the person has read it; undefined: it has none */
export function useSaveProfile(accountId: number, item: ProfileItem, version: string | undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (value: string) => {
      const body = { update_info: { [item]: value }, ...(version !== undefined && { version }) };
      const input = { params: { id: String(accountId) }, body };
      return unwrap(await call('updateAccount', input));
    },
    onError: (error) => (hasCode(error, 'account_changed') ? reloadAccount(client, accountId) : undefined),
    onSuccess: (_answer, value) => changeAccount(client, accountId, { [item]: value }),
  });
}
