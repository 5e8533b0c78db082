import { URLPattern } from 'node:url';

export type WalkName = 'prospects' | 'sending' | 'settings';

/** The walk that visits each route of the client; src/web/app/router.test.tsx compares them with its router. */
export const SCREENS: Readonly<Record<string, WalkName>> = {
  '*': 'settings',
  '/': 'prospects',
  '/account': 'settings',
  '/confirmation/:confirmation_token?': 'settings',
  '/imports': 'prospects',
  '/imports/new': 'prospects',
  '/invitation/:key?': 'prospects',
  '/login': 'prospects',
  '/oauth/callback': 'prospects',
  '/password-reset/:key?': 'prospects',
  '/prospects/:id': 'prospects',
  '/reports': 'settings',
  '/reservations/:id?': 'sending',
  '/sender-confirmation/:key?': 'settings',
  '/sends': 'sending',
  '/sends/:id': 'sending',
  '/settings/audit': 'settings',
  '/settings/domains': 'settings',
  '/settings/fields': 'settings',
  '/settings/groups': 'settings',
  '/settings/legal': 'settings',
  '/settings/login-rules': 'settings',
  '/settings/mailboxes': 'settings',
  '/settings/members': 'settings',
  '/settings/notifications': 'settings',
  '/settings/personal-data': 'settings',
  '/settings/sending': 'settings',
  '/setup/:key': 'prospects',
  '/suppressions': 'settings',
  '/template/:id': 'settings',
  '/templates': 'settings',
};

const NAMED = Object.keys(SCREENS).filter((screen) => screen !== '*');
const isAt = (screen: string, url: string) => new URLPattern({ pathname: screen }).test(url);

/** Returns the screens of a walk that none of these addresses shows. `*` is an unknown address. */
export function missedScreens(walk: WalkName, urls: readonly string[]): string[] {
  const shown = urls.map((url) => NAMED.find((screen) => isAt(screen, url)) ?? '*');
  return Object.keys(SCREENS).filter((screen) => SCREENS[screen] === walk && !shown.includes(screen));
}

/** Returns the first of these addresses for each screen of a walk. */
export const firstOfEach = (walk: WalkName, urls: readonly string[]): string[] =>
  NAMED.flatMap((screen) => (SCREENS[screen] === walk ? (urls.find((url) => isAt(screen, url)) ?? []) : []));
