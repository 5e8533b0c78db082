import { type MiddlewareFunction, replace } from 'react-router';
import { useSession } from '#web/lib/session-store.ts';
import { loginPath } from './paths.ts';

/**
 * Before every navigation: who is not logged in goes to the login screen, which remembers the path. It takes the place of the
 * guarded address in the history, so that the way back leads out, and a mailed secret stands there once.
 */
export const requireLogin: MiddlewareFunction = ({ request }) => {
  if (useSession.getState().token !== null) return;
  const { pathname, search } = new URL(request.url);
  throw replace(loginPath(pathname + search));
};
