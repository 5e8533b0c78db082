import type { getAccount, updateAccount } from '#contract/account.ts';
import type { confirmEmail } from '#contract/email-change.ts';
import { type ApiFailure, callApi } from '#web/lib/api-client.ts';

/** `rejected`: the token was not accepted; `not-updated`: it was, but the address could not be changed. */
export type Outcome =
  | { readonly kind: 'updated' }
  | { readonly kind: 'rejected' | 'not-updated'; readonly failure: ApiFailure };

/**
 * Has the token of the mailed link checked for an account, and makes the pending address its own. The token is good for one call.
 * When it is done the server has ended every session, this one too.
 */
export async function confirmAddress(accountId: number, confirmation_token: string): Promise<Outcome> {
  const params = { id: String(accountId) };
  const checked = await callApi<typeof confirmEmail>('POST', '/auth/confirmation_token/:id/confirm', {
    params,
    body: { confirmation_token },
  });
  if (!checked.ok) return { kind: 'rejected', failure: checked };

  const account = await callApi<typeof getAccount>('GET', '/account/:id', { params });
  if (!account.ok) return { kind: 'not-updated', failure: account };
  const email = account.data.email_before_confirmation ?? '';
  const update_info = { email, email_before_confirmation: '', hashed_confirmation_token: '' } as const;
  const updated = await callApi<typeof updateAccount>('PUT', '/account/:id', { params, body: { update_info } });
  return updated.ok ? { kind: 'updated' } : { kind: 'not-updated', failure: updated };
}
