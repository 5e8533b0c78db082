import { call } from '#web/lib/api/call.ts';
import { releaseAll } from '#web/lib/session/session-store.ts';

/** Clears the state at once and revokes the token. If the call fails, the token still expires by its age. */
export function logOut(): void {
  void call('logout', {});
  releaseAll('logged-out');
}
