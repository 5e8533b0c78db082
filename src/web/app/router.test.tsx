import { expect, test } from 'vitest';
import { SCREENS } from '#test/e2e/screens.ts';
import { USER } from '#test/web/samples.ts';
import { loginPath, pathAfterLogin } from '#web/lib/address/paths.ts';
import { isTakingBack } from '#web/lib/address/taking-back.ts';
import { matchRoute } from '#web/lib/router/routes.ts';
import { startSession } from '#web/lib/session/session-store.ts';
import { ROUTES, takesSession } from './router.tsx';

test('the walk through the client visits every route', () => {
  expect(ROUTES.map(({ path }) => path).toSorted()).toStrictEqual(Object.keys(SCREENS));
});

test.each([
  ['/login', true],
  ['/password-reset', true],
  ['/password-reset/key', true],
  ['/setup/key', true],
  ['/invitation', true],
  ['/invitation/key', true],
  ['/sender-confirmation/key', true],
  ['/oauth/callback', true],
  ['/oauth/callbacks', false],
  ['/', false],
  ['/setup', false],
  ['/password-resets', false],
  ['/confirmation/key', false],
  ['/settings/groups', false],
])('visitors reach %s: %s', (path, may) => {
  const { guard } = matchRoute(ROUTES, path).route;
  expect(guard?.({ pathname: path, search: '', hash: '', key: '' }) ?? null).toBe(may ? null : loginPath(path));
});

test.each([
  ['/attack-list', '/?tab=attack-list'],
  ['/prospects', '/'],
  ['/template', '/templates'],
  ['/settings', '/settings/groups'],
])('%s leads to %s, whose guard asks visitors to log in', (path, meant) => {
  const location = { pathname: path, search: '', hash: '', key: '' };
  expect(matchRoute(ROUTES, path).route.guard?.(location)).toBe(meant);
});

test('the screens that take over no session are those of visitors, and the one that acts on opening', () => {
  const addresses = ROUTES.map(({ path }) => (path === '*' ? '/x' : path.replace(/:\w+\??/, 'x')));
  const own = addresses.filter((address) => !takesSession(address));
  const visited = [
    '/login',
    '/password-reset/x',
    '/setup/x',
    '/invitation/x',
    '/oauth/callback',
    '/sender-confirmation/x',
  ];
  expect(own).toStrictEqual([...visited, '/confirmation/x', '/x']);
  const asFrom = addresses.filter((address) => !isTakingBack(from(address)));
  // A log-in that leads to itself leads to the list.
  expect(asFrom).toStrictEqual(own.slice(1, -1));
});

test.each([
  '/setup',
  '/CONFIRMATION/x',
  '/%63onfirmation/x',
  '/./confirmation/x',
  '/a/../confirmation/x',
  '/a/%2e%2e/confirmation/x',
  String.raw`/a\..\confirmation\x`,
  '/con\nfirmation/x',
  '/%E0%A4%A',
])('a log-in that leads to %j takes over no session', (address) => {
  expect(isTakingBack(from(address))).toBe(false);
});

test.each(['//confirmation/x', '/\t/confirmation/x', String.raw`/\confirmation/x`, 'https://elsewhere.example/'])(
  'a log-in with `from` %j leads to the list, so it may take one over',
  (address) => {
    expect(isTakingBack(from(address))).toBe(true);
    expect(pathAfterLogin(from(address))).toBe('/');
  },
);

test.each(['/confirmation/x', '/CONFIRMATION/x', '/%63onfirmation/x', '//confirmation/x', '/confirmation', '/setup'])(
  'the address %j takes over no session',
  (address) => expect(takesSession(address)).toBe(false),
);

test.each([
  ['?from=%2Fprospects%2F1', true],
  ['?from=%2F%3Fstatus%3Dsent', true],
  ['?from=', false],
  ['', false],
  ['?from=%2Fsender-confirmation%2Fx', false],
  ['?from=%2Fpassword-reset', false],
])('the log-in with %j asks other tabs: %s', (search, asks) => {
  expect(isTakingBack({ search })).toBe(asks);
});

test('a mailed link of a new address asks for a log-in in a tab whose session came from another', () => {
  const guard = () => matchRoute(ROUTES, '/confirmation/x').route.guard?.(at('/confirmation/x'));
  startSession('token', USER);
  expect(guard()).toBeNull();
  startSession('token', USER, {});
  expect(guard()).toBe(loginPath('/confirmation/x'));
});

const from = (address: string) => ({ search: `?${new URLSearchParams({ from: address })}` });

const at = (pathname: string) => ({ pathname, search: '', hash: '', key: '' });
