import { URLPattern } from 'node:url';

/** Every route of the client; src/web/app/router.test.tsx compares them with its router. */
export const SCREENS: readonly string[] = [
  '*',
  '/',
  '/account',
  '/confirmation/:confirmation_token?',
  '/imports',
  '/imports/new',
  '/login',
  '/password-reset/:key?',
  '/prospects/:id',
  '/reports',
  '/sender-confirmation/:key?',
  '/sends',
  '/sends/:id',
  '/settings/domains',
  '/settings/groups',
  '/settings/inbox',
  '/settings/legal',
  '/settings/notifications',
  '/settings/personal-data',
  '/settings/retention',
  '/setup/:key',
  '/suppressions',
  '/template/:id',
  '/templates',
];

const NAMED = SCREENS.filter((screen) => screen !== '*');
const isAt = (screen: string, url: string) => new URLPattern({ pathname: screen }).test(url);

/** Returns the screens that none of these addresses shows. `*` is shown by an address of no other screen. */
export function missedScreens(urls: readonly string[]): string[] {
  const missed = NAMED.filter((screen) => !urls.some((url) => isAt(screen, url)));
  const unknown = urls.some((url) => !NAMED.some((screen) => isAt(screen, url)));
  return unknown ? missed : [...missed, '*'];
}

/** Returns the first of these addresses for each screen that they show. */
export const firstOfEach = (urls: readonly string[]): string[] =>
  NAMED.flatMap((screen) => urls.find((url) => isAt(screen, url)) ?? []);
