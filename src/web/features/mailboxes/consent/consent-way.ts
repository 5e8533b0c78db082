import { stateIn } from '#web/lib/address/company-log-in.ts';
import { type ApiFailure, call } from '#web/lib/api/call.ts';
import { CONSENT_MESSAGES as messages } from './words.ts';

/** What this tab keeps while the browser is at a provider: the state, by which it knows what comes back. */
const KEY = 'kaitaku-mailbox-consent';

/**
 * Leaves for the provider's page, on which the owner of a mailbox consents.
 * @returns why not; null: the browser leaves
 */
export async function beginConsent(id: number): Promise<ApiFailure | null> {
  const answer = await call('authorizeMailbox', { params: { id: String(id) } });
  if (!answer.ok) return answer;
  const { url } = answer.data;
  try {
    sessionStorage.setItem(KEY, stateIn(new URL(url)) ?? '');
  } catch {
    return { ok: false, status: 0, code: 'no_storage', message: messages.noStorage };
  }
  location.assign(url);
  return null;
}

/** Takes the consent that this tab began, once. @returns whether an address is its way back */
export function takeConsent(location: { readonly search: string }): boolean {
  const returned = stateIn(location);
  try {
    if (returned === null || sessionStorage.getItem(KEY) !== returned) return false;
    sessionStorage.removeItem(KEY);
    return true;
  } catch {
    return false;
  }
}
