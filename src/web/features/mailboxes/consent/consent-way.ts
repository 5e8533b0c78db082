import { stateIn } from '#web/lib/address/company-log-in.ts';

/** What this tab keeps while the browser is at a provider: the state, by which it knows what comes back. */
const KEY = 'kaitaku-mailbox-consent';

/** Keeps the consent that begins at an address of a provider. @returns false where the browser stores nothing */
export function keepConsent(url: string): boolean {
  try {
    sessionStorage.setItem(KEY, stateIn(new URL(url)) ?? '');
    return true;
  } catch {
    return false;
  }
}

/** Whether an address is the way back of the consent that this tab keeps. */
export function isConsentBack(location: { readonly search: string }): boolean {
  const returned = stateIn(location);
  try {
    return returned !== null && sessionStorage.getItem(KEY) === returned;
  } catch {
    return false;
  }
}

/** Forgets the consent: an address leads back from it once. */
export const forgetConsent = (): void => sessionStorage.removeItem(KEY);
