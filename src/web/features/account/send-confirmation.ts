import { useMutation } from '@tanstack/react-query';
import { call } from '#web/lib/call.ts';
import { hasCode, type MutationMeta, unwrap } from '#web/lib/query-client.ts';
import { toast } from '#web/lib/toast.ts';
import { ACCOUNT_MESSAGES } from './words.ts';

/** The server's settings give its own mails no sender. The screen says what is to be set. */
export const lacksSender = (error: Error | null): boolean => hasCode(error, 'no_system_sender');

/** Sends the confirmation mail to the pending address: first a ticket for one mail, then the mail. */
export function useSendConfirmation(accountId: number) {
  return useMutation({
    mutationFn: async (email_before_confirmation: string) => {
      const params = { id: String(accountId) };
      const { confirmation_token } = unwrap(await call('issueTicket', { params }));
      const body = { email_before_confirmation, confirmation_token };
      return unwrap(await call('sendConfirmation', { params, body }));
    },
    meta: { showsItself: lacksSender } satisfies MutationMeta,
    onSuccess: () => toast('success', ACCOUNT_MESSAGES.mailSent),
  });
}
