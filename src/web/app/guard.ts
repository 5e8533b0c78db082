import { type MiddlewareFunction, redirect } from 'react-router';
import { useSession } from '#web/lib/session-store.ts';
import { loginPath } from './paths.ts';

/** Before every navigation: who is not logged in goes to the login screen, which remembers the path. */
export const requireLogin: MiddlewareFunction = ({ request }) => {
  if (useSession.getState().token !== null) return;
  const { pathname, search } = new URL(request.url);
  throw redirect(loginPath(pathname + search));
};
