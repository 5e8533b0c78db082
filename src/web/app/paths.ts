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

const FROM = 'from';

/** The login screen, with the place to go back to. */
export const loginPath = (from: string): string =>
  from === PATHS.attackList ? PATHS.login : `${PATHS.login}?${new URLSearchParams({ [FROM]: from })}`;

/** Where to go after a login. Only a path of our own counts: `//host` and `/\host` would lead away. */
export function pathAfterLogin(search: URLSearchParams): string {
  const from = search.get(FROM);
  return from !== null && /^\/(?![/\\])/.test(from) ? from : PATHS.attackList;
}
