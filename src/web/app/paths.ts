/** All paths of the client. */
export const PATHS = {
  attackList: '/',
  /** The send history; followed by an id, one run. */
  sends: '/sends',
  /** The results of a period. */
  reports: '/reports',
  /** Followed by an id: one company. */
  prospects: '/prospects',
  /** The history of imports. */
  imports: '/imports',
  /** A new import, or the one that its query string names. */
  newImport: '/imports/new',
  account: '/account',
  /** All templates. */
  templates: '/templates',
  /** Addresses and domains that get no mail. */
  suppressions: '/suppressions',
  /** The editor, followed by the id of a template. */
  template: '/template',
  /** Settings: groups and senders. */
  settingsGroups: '/settings/groups',
  /** Settings: what mails show of their sender by law. */
  settingsLegal: '/settings/legal',
  /** Settings: what the DNS says about the domains of senders. */
  settingsDomains: '/settings/domains',
  /** Settings: the mailbox of bounces and answers. */
  settingsInbox: '/settings/inbox',
  /** Settings: what the member is told of. */
  settingsNotices: '/settings/notifications',
  /** Settings: what is stored about an address. */
  settingsPersonalData: '/settings/personal-data',
  /** Settings: how long mails are kept. */
  settingsRetention: '/settings/retention',
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

/** The tab of the targets of a send. */
export const ATTACK_LIST_PATH = `${PATHS.attackList}?tab=attack-list`;

/** The tab of the reserved mails. */
export const RESERVATIONS_PATH = `${PATHS.attackList}?tab=reservations`;

/** Addresses that people type or cut short, and the screens that they mean. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['/reservations', RESERVATIONS_PATH],
  ['/attack-list', ATTACK_LIST_PATH],
  [PATHS.prospects, PATHS.attackList],
  [PATHS.template, PATHS.templates],
  ['/settings', PATHS.settingsGroups],
]);

/** Returns the screen that an address without a screen means, or null. */
export const meantPath = (pathname: string): string | null => MEANT.get(canonicalPath(pathname)) ?? null;

/** Returns the path of one run. */
export const sendPath = (id: number): string => `${PATHS.sends}/${id}`;

/** Returns the path of one company. */
export const prospectPath = (id: number): string => `${PATHS.prospects}/${id}`;

/** Returns the path of our own editor of a template. */
export const templatePath = (id: number): string => `${PATHS.template}/${id}`;

/** Returns the path of the suppressions of an address. */
export const suppressionPath = (address: string | undefined): string =>
  address === undefined ? PATHS.suppressions : `${PATHS.suppressions}?${new URLSearchParams({ search: address })}`;

/** The parameter of the sender group whose settings are shown. */
export const GROUP = 'group';

/** Returns the path of what the mails of a group show by law. */
export const legalPath = (groupId: number | undefined): string =>
  groupId === undefined ? PATHS.settingsLegal : `${PATHS.settingsLegal}?${GROUP}=${groupId}`;

/** The route parameter of a mailed link. */
export const CONFIRMATION_TOKEN = 'confirmation_token';

/** The route parameter of a link that visitors may open. */
export const LINK_KEY = 'key';

/** Returns a path as the routes write it: single slashes, none at the end, the login in lower case. */
export function canonicalPath(pathname: string): string {
  const path = pathname.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  return path.toLowerCase() === PATHS.login ? PATHS.login : path;
}

const FROM = 'from';

/** Returns the path of the login screen with the address to return to. */
export const loginPath = (from: string): string =>
  from === PATHS.attackList ? PATHS.login : `${PATHS.login}?${new URLSearchParams({ [FROM]: from })}`;

/**
 * Returns the address to open after a login.
 * It is a path of our own, because `//host` and `/\host` would lead away, and not the login again.
 */
export function pathAfterLogin(search: URLSearchParams): string {
  const from = search.get(FROM);
  if (from === null || !/^\/(?![/\\])/.test(from)) return PATHS.attackList;
  return canonicalPath(from.replace(/[?#].*/, '')) === PATHS.login ? PATHS.attackList : from;
}
