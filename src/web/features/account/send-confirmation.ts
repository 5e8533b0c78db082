import { useMutation } from '@tanstack/react-query';
import type { issueTicket, sendConfirmation } from '#contract/email-change.ts';
import { callApi } from '#web/lib/api-client.ts';
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
      const { confirmation_token } = unwrap(
        await callApi<typeof issueTicket>('PUT', '/auth/confirmation_token/:id', { params }),
      );
      const body = { email_before_confirmation, confirmation_token };
      return unwrap(await callApi<typeof sendConfirmation>('POST', '/mail/send/confirmation/:id', { params, body }));
    },
    meta: { showsItself: lacksSender } satisfies MutationMeta,
    onSuccess: () => toast('success', ACCOUNT_MESSAGES.mailSent),
  });
}
