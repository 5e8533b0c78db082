import { FROM, HERE, PATHS, pathAfterLogin } from './paths.ts';

/** Screens that get no session of another tab: each acts by its link, or logs somebody else in. */
const OWN_SESSION: readonly string[] = [
  PATHS.login,
  PATHS.passwordReset,
  PATHS.setup,
  PATHS.invitation,
  PATHS.senderConfirmation,
  PATHS.confirmation,
  '/oauth',
];

/** Whether an address may get the session of another tab (lib/session/tab-sessions.ts). */
function mayTakeSession(address: string): boolean {
  // The browser resolves dots and backslashes, also at the next visit of the entry in its history.
  const url = URL.parse(address, HERE);
  const segment = url?.pathname.split('/').find((part) => part !== '') ?? '';
  try {
    return url?.origin === HERE && !OWN_SESSION.includes(`/${decodeURIComponent(segment)}`.toLowerCase());
  } catch {
    return false;
  }
}

/** Whether a log-in leads back to an address that may get the session of another tab. */
export const isTakingBack = ({ search }: { readonly search: string }): boolean =>
  (new URLSearchParams(search).get(FROM) ?? '') !== '' && mayTakeSession(pathAfterLogin({ search }));
