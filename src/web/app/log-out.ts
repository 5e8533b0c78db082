import type { logout } from '#contract/auth.ts';
import { callApi } from '#web/lib/api-client.ts';
import { releaseAll } from '#web/lib/session-store.ts';

/** The state goes at once; the token dies at the server when it hears of it, and by its age if it never does. */
export function logOut(): void {
  void callApi<typeof logout>('POST', '/auth/logout', {});
  releaseAll('logged-out');
}
