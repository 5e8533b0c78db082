/** Every address of the client, once. */
export const PATHS = {
  attackList: '/',
  /** What was sent; behind it the id of one run. */
  sends: '/sends',
  account: '/account',
  /** Followed by the id of a template: its editor. */
  template: '/template',
  login: '/login',
  /** Followed by the secret of the mail until it is spent. */
  confirmation: '/confirmation',
} as const;

/** One run of the history. */
export const sendPath = (id: number): string => `${PATHS.sends}/${id}`;

/** Our own editor of a template. */
export const templatePath = (id: number): string => `${PATHS.template}/${id}`;

/** The parameter of the route of a mailed link. */
export const CONFIRMATION_TOKEN = 'confirmation_token';

/** A path as the routes name it: single slashes, none at its end, the log-in in small letters. */
export function canonicalPath(pathname: string): string {
  const path = pathname.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  return path.toLowerCase() === PATHS.login ? PATHS.login : path;
}

const FROM = 'from';

/** The login screen, with the place to go back to. */
export const loginPath = (from: string): string =>
  from === PATHS.attackList ? PATHS.login : `${PATHS.login}?${new URLSearchParams({ [FROM]: from })}`;

/** Where to go after a login: a path of our own (`//host` and `/\host` would lead away), and not the log-in again. */
export function pathAfterLogin(search: URLSearchParams): string {
  const from = search.get(FROM);
  if (from === null || !/^\/(?![/\\])/.test(from)) return PATHS.attackList;
  return canonicalPath(from.replace(/[?#].*/, '')) === PATHS.login ? PATHS.attackList : from;
}
