import { type MiddlewareFunction, replace } from 'react-router';
import { useSession } from '#web/lib/session-store.ts';
import { loginPath } from './paths.ts';

/**
 * Redirects a visitor to the login screen before every navigation.
 * The login screen remembers the path, and replaces the guarded address in the history. So the back button leaves the
 * client, and a mailed secret is in the history once.
 */
export const requireLogin: MiddlewareFunction = ({ request }) => {
  if (useSession.getState().token !== null) return;
  const { pathname, search } = new URL(request.url);
  throw replace(loginPath(pathname + search));
};
