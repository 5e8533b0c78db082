import { type ApiFailure, call } from '#web/lib/api/call.ts';
import { keepConsent } from './consent-way.ts';
import { CONSENT_MESSAGES as messages } from './words.ts';

/**
 * Leaves for the provider's page, on which the owner of a mailbox consents.
 * @returns why not; null: the browser leaves
 */
export async function beginConsent(id: number): Promise<ApiFailure | null> {
  const answer = await call('authorizeMailbox', { params: { id: String(id) } });
  if (!answer.ok) return answer;
  const { url } = answer.data;
  if (!keepConsent(url)) return { ok: false, status: 0, code: 'no_storage', message: messages.noStorage };
  location.assign(url);
  return null;
}
