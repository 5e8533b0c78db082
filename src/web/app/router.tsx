import { createBrowserRouter, type RouteObject } from 'react-router';
import { loadPart } from '#web/lib/load-part.ts';
import { onSessionEnd, useSession } from '#web/lib/session-store.ts';
import { toast } from '#web/lib/toast.ts';
import { requireLogin } from './guard.ts';
import { CONFIRMATION_TOKEN, canonicalPath, isPublic, LINK_KEY, loginPath, PATHS } from './paths.ts';
import { NotFound } from './routes/not-found.tsx';
import { RouteError } from './routes/route-error.tsx';
import { Shell } from './shell/shell.tsx';
import { APP_MESSAGES } from './words.ts';

export const ROUTES: RouteObject[] = [
  {
    Component: Shell,
    HydrateFallback: Shell,
    ErrorBoundary: RouteError,
    children: [
      {
        path: PATHS.login,
        lazy: () => loadPart(() => import('./routes/login.tsx')),
        ErrorBoundary: RouteError,
      },
      {
        path: `${PATHS.passwordReset}/:${LINK_KEY}?`,
        lazy: () => loadPart(() => import('./routes/password-reset.tsx')),
        ErrorBoundary: RouteError,
      },
      {
        path: `${PATHS.setup}/:${LINK_KEY}`,
        lazy: () => loadPart(() => import('./routes/setup.tsx')),
        ErrorBoundary: RouteError,
      },
      {
        path: `${PATHS.senderConfirmation}/:${LINK_KEY}?`,
        lazy: () => loadPart(() => import('./routes/sender-confirmation.tsx')),
        ErrorBoundary: RouteError,
      },
      {
        middleware: [requireLogin],
        lazy: () => loadPart(() => import('./workspace.tsx')),
        ErrorBoundary: RouteError,
        children: [
          { path: PATHS.attackList, lazy: () => loadPart(() => import('./routes/attack-list.tsx')) },
          { path: `${PATHS.prospects}/:id`, lazy: () => loadPart(() => import('./routes/company.tsx')) },
          { path: PATHS.imports, lazy: () => loadPart(() => import('./routes/imports.tsx')) },
          { path: PATHS.newImport, lazy: () => loadPart(() => import('./routes/new-import.tsx')) },
          { path: PATHS.sends, lazy: () => loadPart(() => import('./routes/sends.tsx')) },
          { path: `${PATHS.sends}/:id`, lazy: () => loadPart(() => import('./routes/send.tsx')) },
          { path: PATHS.reports, lazy: () => loadPart(() => import('./routes/reports.tsx')) },
          { path: PATHS.templates, lazy: () => loadPart(() => import('./routes/templates.tsx')) },
          { path: `${PATHS.template}/:id`, lazy: () => loadPart(() => import('./routes/template.tsx')) },
          { path: PATHS.suppressions, lazy: () => loadPart(() => import('./routes/suppressions.tsx')) },
          { path: PATHS.settingsGroups, lazy: () => loadPart(() => import('./routes/settings-groups.tsx')) },
          { path: PATHS.settingsLegal, lazy: () => loadPart(() => import('./routes/settings-legal.tsx')) },
          { path: PATHS.settingsNotices, lazy: () => loadPart(() => import('./routes/settings-notices.tsx')) },
          { path: PATHS.settingsDomains, lazy: () => loadPart(() => import('./routes/settings-domains.tsx')) },
          { path: PATHS.settingsInbox, lazy: () => loadPart(() => import('./routes/settings-inbox.tsx')) },
          {
            path: PATHS.settingsPersonalData,
            lazy: () => loadPart(() => import('./routes/settings-personal-data.tsx')),
          },
          { path: PATHS.settingsRetention, lazy: () => loadPart(() => import('./routes/settings-retention.tsx')) },
          { path: PATHS.account, lazy: () => loadPart(() => import('./routes/account.tsx')) },
          {
            path: `${PATHS.confirmation}/:${CONFIRMATION_TOKEN}?`,
            lazy: () => loadPart(() => import('./routes/confirmation.tsx')),
          },
          { path: '*', Component: NotFound },
        ],
      },
    ],
  },
];

type Router = ReturnType<typeof createBrowserRouter>;

/** Screens that end a session themselves and show what follows. */
const STAY_PATHS: readonly string[] = [PATHS.login, PATHS.confirmation];

/**
 * Shows a toast and the login screen at every end of a session.
 * After an expired session the login leads back to the address of before.
 */
export function followSessionEnd(router: Router): () => void {
  return onSessionEnd((end) => {
    toast('info', APP_MESSAGES.loggedOut);
    const { pathname, search } = router.state.location;
    if (STAY_PATHS.includes(canonicalPath(pathname))) return;
    const next = end === 'expired' ? loginPath(pathname + search) : PATHS.login;
    void router.navigate(next, { replace: end === 'expired' });
  });
}

/**
 * Redirects a visitor to the login before the router starts.
 * The guard requireLogin runs too late for the first address: the router would load its screen and show it briefly.
 * `//login` and similar addresses become their canonical path.
 */
function redirectToLogin(): void {
  const { pathname, search } = location;
  const path = canonicalPath(pathname);
  if (useSession.getState().token === null && !isPublic(path)) {
    history.replaceState(null, '', loginPath(path + search));
  } else if (path !== pathname) history.replaceState(null, '', path + search);
}

export function startRouter(): Router {
  redirectToLogin();
  const router = createBrowserRouter(ROUTES);
  followSessionEnd(router);
  return router;
}
