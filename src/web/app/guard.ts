import type { Location } from '#web/lib/router/location.ts';
import { useSession } from '#web/lib/session-store.ts';
import { loginPath } from './paths.ts';

/**
 * Returns the login screen for a visitor, before every navigation.
 * The login screen remembers the path, and replaces the guarded address in the history. So the back button leaves the
 * client, and a mailed secret is in the history once.
 */
export const requireLogin = ({ pathname, search }: Location): string | null =>
  useSession.getState().token === null ? loginPath(pathname + search) : null;
