import { CONFIRMATION_TOKEN, canonicalPath, LINK_KEY, loginPath, meantPath, PATHS } from '#web/lib/address/paths.ts';
import { browserHistory } from '#web/lib/router/browser-history.ts';
import type { Location } from '#web/lib/router/location.ts';
import { createRouter, type Router } from '#web/lib/router/router.ts';
import { matchRoute, type Route, type Screen } from '#web/lib/router/routes.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { onSessionEnd, useSession } from '#web/lib/session/session-store.ts';
import { NotFound } from './routes/not-found.tsx';
import { APP_MESSAGES } from './words.ts';

/**
 * Returns the login screen for a visitor, before every navigation.
 * The login screen keeps the path, and replaces the guarded address in the history. So the back button leaves the
 * client, and a mailed secret is in the history only once.
 */
const requireLogin = ({ pathname, search }: Location): string | null =>
  useSession.getState().token === null ? loginPath(pathname + search) : null;

/**
 * Asks for a log-in of this tab's own before a mailed link acts: a link that another page opens here must not use a
 * session that came from another tab, because a wrong link ends it.
 */
const requireOwnLogin = ({ pathname, search }: Location): string | null => {
  const { token, handed_over } = useSession.getState();
  return token === null || handed_over ? loginPath(pathname + search) : null;
};

type Load = () => Promise<Screen>;

/** Adds a screen that visitors may open (decisions/passwords). */
const open = (path: string, load: Load): Route => ({ path, screen: () => loadPart(load) });

const workspace = () => loadPart(() => import('./workspace.tsx'));

/** Adds a screen behind the login. */
const guarded = (path: string, load: Load): Route => ({
  ...open(path, load),
  guard: requireLogin,
  surround: workspace,
});

export const ROUTES: readonly Route[] = [
  open(PATHS.login, () => import('./routes/visitors/login.tsx')),
  open(`${PATHS.passwordReset}/:${LINK_KEY}?`, () => import('./routes/visitors/password-reset.tsx')),
  open(`${PATHS.setup}/:${LINK_KEY}`, () => import('./routes/visitors/setup.tsx')),
  open(`${PATHS.invitation}/:${LINK_KEY}?`, () => import('./routes/visitors/invitation.tsx')),
  open(PATHS.oauthCallback, () => import('./routes/visitors/oauth-callback.tsx')),
  open(`${PATHS.senderConfirmation}/:${LINK_KEY}?`, () => import('./routes/visitors/sender-confirmation.tsx')),
  guarded(PATHS.attackList, () => import('./routes/attack-list.tsx')),
  guarded(`${PATHS.prospects}/:id`, () => import('./routes/company.tsx')),
  guarded(PATHS.imports, () => import('./routes/imports.tsx')),
  guarded(PATHS.newImport, () => import('./routes/new-import.tsx')),
  guarded(PATHS.sends, () => import('./routes/sends.tsx')),
  guarded(`${PATHS.sends}/:id`, () => import('./routes/send.tsx')),
  guarded(`${PATHS.reservations}/:id?`, () => import('./routes/reservations.tsx')),
  guarded(PATHS.reports, () => import('./routes/reports.tsx')),
  guarded(PATHS.templates, () => import('./routes/templates.tsx')),
  guarded(`${PATHS.template}/:id`, () => import('./routes/template.tsx')),
  guarded(PATHS.suppressions, () => import('./routes/suppressions.tsx')),
  guarded(PATHS.settingsGroups, () => import('./routes/settings/groups.tsx')),
  guarded(PATHS.settingsMailboxes, () => import('./routes/settings/mailboxes.tsx')),
  guarded(PATHS.settingsLegal, () => import('./routes/settings/legal.tsx')),
  guarded(PATHS.settingsSending, () => import('./routes/settings/sending.tsx')),
  guarded(PATHS.settingsMembers, () => import('./routes/settings/members.tsx')),
  guarded(PATHS.settingsAudit, () => import('./routes/settings/audit.tsx')),
  guarded(PATHS.settingsLoginRules, () => import('./routes/settings/login-rules.tsx')),
  guarded(PATHS.settingsNotices, () => import('./routes/settings/notices.tsx')),
  guarded(PATHS.settingsDomains, () => import('./routes/settings/domains.tsx')),
  guarded(PATHS.settingsFields, () => import('./routes/settings/fields.tsx')),
  guarded(PATHS.settingsPersonalData, () => import('./routes/settings/personal-data.tsx')),
  guarded(PATHS.account, () => import('./routes/account.tsx')),
  {
    ...guarded(`${PATHS.confirmation}/:${CONFIRMATION_TOKEN}?`, () => import('./routes/confirmation.tsx')),
    guard: requireOwnLogin,
  },
  {
    ...guarded('*', async () => ({ Component: NotFound })),
    guard: (location) => meantPath(location.pathname) ?? requireLogin(location),
  },
];

/** Whether an address opens with the session of another tab (lib/session/tab-sessions.ts): those of known screens. */
export const takesSession = (pathname: string): boolean => matchRoute(ROUTES, pathname).route.guard === requireLogin;

/** Screens that end a session themselves and show the result. */
const STAY_PATHS: readonly string[] = [PATHS.login, PATHS.confirmation];

/**
 * Shows a toast and the login screen at every end of a session.
 * After an expired session the login leads back to the previous address.
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

/** Starts the router. `//login` and similar addresses become their canonical path. */
export function startRouter(): Router {
  const { pathname, search } = location;
  const path = canonicalPath(pathname);
  if (path !== pathname) history.replaceState(null, '', path + search);
  const router = createRouter(ROUTES, browserHistory());
  followSessionEnd(router);
  return router;
}
