import type { logout } from '#contract/auth.ts';
import { callApi } from '#web/lib/api-client.ts';
import { releaseAll } from '#web/lib/session-store.ts';

/** Clears the state at once and revokes the token. If the call is lost, the token expires by its age. */
export function logOut(): void {
  void callApi<typeof logout>('POST', '/auth/logout', {});
  releaseAll('logged-out');
}
