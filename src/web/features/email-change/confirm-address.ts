import { type ApiFailure, call, isUnreachable } from '#web/lib/api/call.ts';

/**
 * `rejected`: the token was refused. `not-updated`: it was accepted, but the address could not be changed.
 * `unreachable`: no answer, so the outcome is unknown.
 */
type FailedKind = 'rejected' | 'not-updated' | 'unreachable';
export type Outcome = { readonly kind: 'updated' } | { readonly kind: FailedKind; readonly failure: ApiFailure };

/**
 * Confirms the token of a mailed link, and changes the account's address to the pending one.
 * The token is valid for one call. The change ends all sessions, including this one.
 *
 * @param isRetry an earlier call had no answer. It may have used the token; the address can then still be changed
 */
export async function confirmAddress(
  accountId: number,
  confirmation_token: string,
  isRetry: boolean,
): Promise<Outcome> {
  const params = { id: String(accountId) };
  const checked = await call('confirmEmail', {
    params,
    body: { confirmation_token },
  });
  const mayBeUsed = isRetry && !checked.ok && checked.code === 'invalid_confirmation';
  if (!checked.ok && !mayBeUsed) return failed('rejected', checked);

  const account = await call('getAccount', { params });
  if (!account.ok) return failed('not-updated', account);
  const email = account.data.email_before_confirmation ?? '';
  const update_info = { email, email_before_confirmation: '', hashed_confirmation_token: '' } as const;
  const updated = await call('updateAccount', { params, body: { update_info } });
  if (updated.ok) return { kind: 'updated' };
  return checked.ok || isUnreachable(updated) ? failed('not-updated', updated) : failed('rejected', checked);
}

const failed = (kind: FailedKind, failure: ApiFailure): Outcome => ({
  kind: isUnreachable(failure) ? 'unreachable' : kind,
  failure,
});
