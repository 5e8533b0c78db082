import { describe, expect, it } from 'vitest';
import { canonicalPath, loginPath, pathAfterLogin } from './paths.ts';

const after = (from: string) => pathAfterLogin(new URLSearchParams({ from }));

describe('the way back after a login', () => {
  it.each(['/account', '/?address=%E6%9D%B1%E4%BA%AC&tab=attack-list', '/a?b=c&d=/e'])('keeps %s', (path) => {
    expect(pathAfterLogin(new URL(loginPath(path), 'http://kaitaku.test').searchParams)).toBe(path);
  });

  it.each(['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '', 'account'])(
    'never leads away by %s',
    (from) => {
      expect(after(from)).toBe('/');
    },
  );

  it.each(['/login', '/LOGIN', '/login/?from=%2Faccount', '/Login#x'])(
    'does not lead to the log-in again by %s',
    (from) => {
      expect(pathAfterLogin(new URLSearchParams({ from }))).toBe('/');
    },
  );

  it('§9.2 is the root without a stored address', () => {
    expect(loginPath('/')).toBe('/login');
    expect(pathAfterLogin(new URLSearchParams())).toBe('/');
  });
});

it.each([
  ['/', '/'],
  ['//', '/'],
  ['/login/', '/login'],
  ['//LOGIN//', '/login'],
  ['//account', '/account'],
  ['/confirmation/AbC', '/confirmation/AbC'],
])('%s becomes %s', (pathname, path) => {
  expect(canonicalPath(pathname)).toBe(path);
});
