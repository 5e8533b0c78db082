import { useMutation } from '@tanstack/react-query';
import { call } from '#web/lib/call.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { toast } from '#web/lib/toast.ts';
import { ACCOUNT_MESSAGES } from './words.ts';

/** The three fields, under their names in the call. */
export interface Passwords {
  readonly current_password: string;
  readonly new_password: string;
  readonly new_password_confirmation: string;
}

/** Changes the password, which ends all other sessions of the account. */
export function useChangePassword(accountId: number) {
  return useMutation({
    mutationFn: async (body: Passwords) => {
      const params = { account_id: String(accountId) };
      return unwrap(await call('changePassword', { params, body }));
    },
    onSuccess: () => toast('success', `${ACCOUNT_MESSAGES.passwordUpdated}\n${ACCOUNT_MESSAGES.othersLoggedOut}`),
  });
}
