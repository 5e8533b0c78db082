import { createBrowserRouter, type RouteObject } from 'react-router';
import { onSessionEnd } from '#web/lib/session-store.ts';
import { toast } from '#web/lib/toast.ts';
import { WORDS } from '#web/lib/words.ts';
import { requireLogin } from './guard.ts';
import { loginPath, PATHS } from './paths.ts';
import { NotFound } from './routes/not-found.tsx';
import { RouteError } from './routes/route-error.tsx';
import { Shell } from './shell.tsx';

export const ROUTES: RouteObject[] = [
  {
    Component: Shell,
    HydrateFallback: Shell,
    ErrorBoundary: RouteError,
    children: [
      { path: PATHS.login, lazy: () => import('./routes/login.tsx') },
      {
        middleware: [requireLogin],
        lazy: () => import('./workspace.tsx'),
        ErrorBoundary: RouteError,
        children: [
          { path: PATHS.attackList, lazy: () => import('./routes/attack-list.tsx') },
          { path: '*', Component: NotFound },
        ],
      },
    ],
  },
];

type Router = ReturnType<typeof createBrowserRouter>;

/** However a session ends, its visitor is told once and stands on the login screen. */
export function followSessionEnd(router: Router): () => void {
  return onSessionEnd((end) => {
    toast('info', WORDS.session.loggedOut);
    const { pathname, search } = router.state.location;
    const onLogin = pathname === PATHS.login;
    if (!onLogin) void router.navigate(end === 'expired' ? loginPath(pathname + search) : PATHS.login);
  });
}

export function startRouter(): Router {
  const router = createBrowserRouter(ROUTES);
  followSessionEnd(router);
  return router;
}
