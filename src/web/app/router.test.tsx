import { expect, test } from 'vitest';
import { SCREENS } from '#test/e2e/screens.ts';
import { loginPath } from '#web/lib/address/paths.ts';
import { matchRoute } from '#web/lib/router/routes.ts';
import { ROUTES } from './router.tsx';

test('the walk through the client visits every route', () => {
  expect(ROUTES.map(({ path }) => path).toSorted()).toStrictEqual(Object.keys(SCREENS));
});

test.each([
  ['/login', true],
  ['/password-reset', true],
  ['/password-reset/key', true],
  ['/setup/key', true],
  ['/sender-confirmation/key', true],
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
