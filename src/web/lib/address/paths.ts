/** The paths of all screens. Mails and bookmarks contain them. */

export const PATHS = {
  attackList: '/',
  /** The send history; with an id, one run. */
  sends: '/sends',
  /** All reservations; with an id, one of them. */
  reservations: '/reservations',
  reports: '/reports',
  /** With an id: one company. */
  prospects: '/prospects',
  /** The history of imports. */
  imports: '/imports',
  newImport: '/imports/new',
  account: '/account',
  templates: '/templates',
  suppressions: '/suppressions',
  /** The template editor; the id of a template follows. */
  template: '/template',
  settingsMembers: '/settings/members',
  settingsAudit: '/settings/audit',
  settingsLoginRules: '/settings/login-rules',
  settingsGroups: '/settings/groups',
  settingsMailboxes: '/settings/mailboxes',
  settingsLegal: '/settings/legal',
  settingsSending: '/settings/sending',
  settingsDomains: '/settings/domains',
  settingsNotices: '/settings/notifications',
  settingsFields: '/settings/fields',
  settingsPersonalData: '/settings/personal-data',
  login: '/login',
  /** Open to visitors; the mailed key follows until it is used. */
  passwordReset: '/password-reset',
  /** Open to visitors; the key that the program prints at its start follows. */
  setup: '/setup',
  /** Open to visitors; the mailed key follows until the page has read it. */
  invitation: '/invitation',
  /** Open to visitors; a company's provider returns here with a code. */
  oauthCallback: '/oauth/callback',
  /** The mailed token follows until it is used. */
  confirmation: '/confirmation',
  /** Open to visitors; the mailed key follows until it is used. */
  senderConfirmation: '/sender-confirmation',
} as const;

/** The route parameter of a mailed link. */
export const CONFIRMATION_TOKEN = 'confirmation_token';
/** The route parameter of a link that visitors may open. */
export const LINK_KEY = 'key';

export const prospectPath = (id: number): string => `${PATHS.prospects}/${id}`;
/** Returns the path of this client's editor of a template. */
export const templatePath = (id: number): string => `${PATHS.template}/${id}`;
export const reservationPath = (id: number): string => `${PATHS.reservations}/${id}`;
/** The path of the tab for the targets of a send. */
/** Whether an address is the list without a tab, a filter or a page. */
export const isBareList = ({ pathname, search }: { readonly pathname: string; readonly search: string }): boolean =>
  pathname === PATHS.attackList && search === '';
export const ATTACK_LIST_PATH = `${PATHS.attackList}?tab=attack-list`;
export const RESERVATIONS_PATH = `${PATHS.attackList}?tab=reservations`;

/** Returns the canonical form of a path: single slashes, none at the end, the login in lower case. */
export function canonicalPath(pathname: string): string {
  const path = pathname.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  return path.toLowerCase() === PATHS.login ? PATHS.login : path;
}

/** Addresses that users mistype or shorten, with the screens that they mean. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['/attack-list', ATTACK_LIST_PATH],
  [PATHS.prospects, PATHS.attackList],
  [PATHS.template, PATHS.templates],
  ['/settings', PATHS.settingsGroups],
  ['/settings/inbox', PATHS.settingsDomains],
  ['/settings/retention', PATHS.settingsPersonalData],
]);

/** Returns the screen meant by an address that has none, or null. */
export const meantPath = (pathname: string): string | null => MEANT.get(canonicalPath(pathname)) ?? null;

/** The log-in's parameter for the address that it leads back to. */
export const FROM = 'from';

/** Returns the login screen that leads back to an address. */
export const loginPath = (from: string): string =>
  from === PATHS.attackList ? PATHS.login : `${PATHS.login}?${new URLSearchParams({ [FROM]: from })}`;

/** Returns the login screen with the parameters that it had. */
export const loginAt = ({ search }: { readonly search: string }): string => PATHS.login + search;

/** Returns the address of a location of this client at another origin. */
export const atOrigin = (
  origin: string,
  { pathname, search }: Readonly<Record<'pathname' | 'search', string>>,
): string => origin + pathname + search;

/** Stands for the origin of this client. */
export const HERE = 'http://client.invalid';

/**
 * Returns the address to open after a login.
 * Only a path of this client, because `//host`, `/\host` and `/<tab>/host` would lead to another site, and not the
 * login itself.
 */
export function pathAfterLogin({ search }: { readonly search: string }): string {
  const from = new URLSearchParams(search).get(FROM) ?? '';
  if (!from.startsWith('/') || URL.parse(from, HERE)?.origin !== HERE) return PATHS.attackList;
  return canonicalPath(from.replace(/[?#].*/, '')) === PATHS.login ? PATHS.attackList : from;
}
