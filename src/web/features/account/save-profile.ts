import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { updateAccount } from '#contract/account.ts';
import { callApi } from '#web/lib/api-client.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { changeAccount } from './account-query.ts';

/** The editable items of an account. A new address has its own field until it is confirmed. */
export type ProfileItem = 'email_before_confirmation' | 'name' | 'company';

export function useSaveProfile(accountId: number, item: ProfileItem) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (value: string) => {
      const input = { params: { id: String(accountId) }, body: { update_info: { [item]: value } } };
      return unwrap(await callApi<typeof updateAccount>('PUT', '/account/:id', input));
    },
    onSuccess: (_answer, value) => changeAccount(client, accountId, { [item]: value }),
  });
}
