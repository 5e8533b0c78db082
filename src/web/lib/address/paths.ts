/** The paths of all screens. Mails and bookmarks hold them. */

export const PATHS = {
  attackList: '/',
  /** The send history; followed by an id, one run. */
  sends: '/sends',
  /** All reservations; followed by an id, one of them. */
  reservations: '/reservations',
  reports: '/reports',
  /** Followed by an id: one company. */
  prospects: '/prospects',
  /** The history of imports. */
  imports: '/imports',
  newImport: '/imports/new',
  account: '/account',
  templates: '/templates',
  suppressions: '/suppressions',
  /** The editor, followed by the id of a template. */
  template: '/template',
  settingsGroups: '/settings/groups',
  settingsLegal: '/settings/legal',
  settingsSending: '/settings/sending',
  settingsDomains: '/settings/domains',
  settingsNotices: '/settings/notifications',
  settingsPersonalData: '/settings/personal-data',
  login: '/login',
  /** Open to visitors; followed by the mailed key until it is used. */
  passwordReset: '/password-reset',
  /** Open to visitors; followed by the key that the program prints when it starts. */
  setup: '/setup',
  /** Followed by the mailed token until it is used. */
  confirmation: '/confirmation',
  /** Open to visitors; followed by the mailed key until it is used. */
  senderConfirmation: '/sender-confirmation',
} as const;

/** The route parameter of a mailed link. */
export const CONFIRMATION_TOKEN = 'confirmation_token';
/** The route parameter of a link that visitors may open. */
export const LINK_KEY = 'key';

export const prospectPath = (id: number): string => `${PATHS.prospects}/${id}`;
/** Our own editor of a template. */
export const templatePath = (id: number): string => `${PATHS.template}/${id}`;
export const reservationPath = (id: number): string => `${PATHS.reservations}/${id}`;
/** The tab of the targets of a send. */
export const ATTACK_LIST_PATH = `${PATHS.attackList}?tab=attack-list`;
export const RESERVATIONS_PATH = `${PATHS.attackList}?tab=reservations`;

/** Returns a path as the routes write it: single slashes, none at the end, the login in lower case. */
export function canonicalPath(pathname: string): string {
  const path = pathname.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  return path.toLowerCase() === PATHS.login ? PATHS.login : path;
}

/** Addresses that people type or cut short, and the screens that they mean. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['/attack-list', ATTACK_LIST_PATH],
  [PATHS.prospects, PATHS.attackList],
  [PATHS.template, PATHS.templates],
  ['/settings', PATHS.settingsGroups],
  ['/settings/inbox', PATHS.settingsDomains],
  ['/settings/retention', PATHS.settingsPersonalData],
]);

/** Returns the screen that an address without a screen means, or null. */
export const meantPath = (pathname: string): string | null => MEANT.get(canonicalPath(pathname)) ?? null;

const FROM = 'from';

/** Returns the login screen that leads back to an address. */
export const loginPath = (from: string): string =>
  from === PATHS.attackList ? PATHS.login : `${PATHS.login}?${new URLSearchParams({ [FROM]: from })}`;

/** Returns the address of a location of this client at another origin. */
export const atOrigin = (
  origin: string,
  { pathname, search }: Readonly<Record<'pathname' | 'search', string>>,
): string => origin + pathname + search;

/**
 * Returns the address to open after a login.
 * It is a path of our own, because `//host` and `/\host` would lead away, and not the login again.
 */
export function pathAfterLogin({ search }: { readonly search: string }): string {
  const from = new URLSearchParams(search).get(FROM) ?? '';
  if (!/^\/(?![/\\])/.test(from)) return PATHS.attackList;
  return canonicalPath(from.replace(/[?#].*/, '')) === PATHS.login ? PATHS.attackList : from;
}
