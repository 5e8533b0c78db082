import { expect, onTestFinished, test, vi } from 'vitest';
import { memoryHistory } from '#test/web/memory-history.ts';
import { createRouter } from './router.ts';
import type { Route, Screen } from './routes.ts';

const Nothing = () => null;
const screenOf = (onOpen?: Screen['onOpen']): Screen => ({ Component: Nothing, ...(onOpen && { onOpen }) });

/** Starts a router at an address, with the routes `/`, `/b` and those of the test. */
async function start(address: string, others: readonly Route[] = []) {
  const history = memoryHistory(address);
  const plain = ['/', '/b', '*'].map((path): Route => ({ path, screen: async () => screenOf() }));
  const router = createRouter([...others, ...plain], history);
  onTestFinished(router.stop);
  await settled();
  return { history, router, shown: () => router.state.location.pathname };
}

/** Waits for all moves and loading screens. */
const settled = () => new Promise((done) => setTimeout(done));

test('the previous screen and address stay until the next screen has loaded', async () => {
  const slow = Promise.withResolvers<Screen>();
  const { history, router, shown } = await start('/', [{ path: '/slow', screen: () => slow.promise }]);
  const navigation = router.navigate('/slow');
  await settled();
  expect([shown(), history.location.pathname]).toStrictEqual(['/', '/']);
  slow.resolve(screenOf());
  await navigation;
  expect([shown(), history.location.pathname]).toStrictEqual(['/slow', '/slow']);
});

test('a later navigation supersedes one that is loading', async () => {
  const slow = Promise.withResolvers<Screen>();
  const { history, router, shown } = await start('/', [{ path: '/slow', screen: () => slow.promise }]);
  const first = router.navigate('/slow');
  await router.navigate('/b');
  slow.resolve(screenOf());
  await first;
  expect(shown()).toBe('/b');
  history.go(-1);
  await settled();
  expect(shown()).toBe('/');
});

test('a guard replaces the address before its screen loads', async () => {
  const screen = vi.fn(async () => screenOf());
  const guarded: Route = { path: '/in', guard: ({ pathname }) => `/b?from=${pathname}`, screen };
  const { history, router } = await start('/in', [guarded]);
  expect(router.state.location).toMatchObject({ pathname: '/b', search: '?from=/in' });
  await router.navigate('/');
  await router.navigate('/in');
  expect(router.state.location.pathname).toBe('/b');
  history.go(-1);
  await settled();
  expect(router.state.location).toMatchObject({ pathname: '/b', search: '?from=/in' });
  expect(screen).not.toHaveBeenCalled();
});

test('a guard is asked again once its screen has loaded', async () => {
  const slow = Promise.withResolvers<Screen>();
  let isOut = false;
  const guarded: Route = { path: '/in', guard: () => (isOut ? '/b' : null), screen: () => slow.promise };
  const { history, router } = await start('/', [guarded]);
  const navigation = router.navigate('/in');
  isOut = true;
  slow.resolve(screenOf());
  await navigation;
  expect([router.state.location.pathname, history.location.pathname]).toStrictEqual(['/b', '/b']);
});

test('a screen that cannot be loaded shows an error at its address, and is loaded again later', async () => {
  const screen = vi.fn(async () => screenOf()).mockRejectedValueOnce(new Error('offline'));
  const { router } = await start('/', [{ path: '/c', screen }]);
  await router.navigate('/c');
  expect(router.state).toMatchObject({ screen: null, error: { message: 'offline' }, location: { pathname: '/c' } });
  await router.navigate('/');
  await router.navigate('/c');
  expect(router.state.error).toBeUndefined();
  expect(router.state.screen).not.toBeNull();
});

test('a screen is notified when it opens, but not of another query', async () => {
  const onOpen = vi.fn();
  const { router } = await start('/c?a=1', [{ path: '/c', screen: async () => screenOf(onOpen) }]);
  await router.navigate('/c?a=2');
  expect(onOpen.mock.calls.map(([{ search }]) => search)).toStrictEqual(['?a=1']);
  await router.navigate('/');
  await router.navigate('/c');
  expect(onOpen).toHaveBeenCalledTimes(2);
});

test('a navigation within a route is complete when it returns, one after the other', async () => {
  const { history, router } = await start('/c/1', [{ path: '/c/:id', screen: async () => screenOf() }]);
  const before = router.state.screen;
  void router.navigate('/c/1?a=1');
  expect([router.state.location.search, history.location.search]).toStrictEqual(['?a=1', '?a=1']);
  void router.navigate('/c/2?b=2');
  expect(router.state).toMatchObject({ location: { pathname: '/c/2', search: '?b=2' }, params: { id: '2' } });
  expect(router.state.screen).toBe(before);
});

test('a navigation within a route supersedes one that is loading', async () => {
  const slow = Promise.withResolvers<Screen>();
  const { router, shown } = await start('/b', [{ path: '/slow', screen: () => slow.promise }]);
  const first = router.navigate('/slow');
  void router.navigate('/b?a=1');
  slow.resolve(screenOf());
  await first;
  expect([shown(), router.state.location.search]).toStrictEqual(['/b', '?a=1']);
});

test('a blocked navigation changes nothing until it proceeds, once', async () => {
  const { router, shown } = await start('/');
  let proceed: () => void = () => undefined;
  const end = router.block((_next, go) => {
    proceed = go;
    return true;
  });
  await router.navigate('/b');
  expect(shown()).toBe('/');
  proceed();
  await settled();
  expect(shown()).toBe('/b');
  end();
  await router.navigate('/');
  expect(shown()).toBe('/');
});

test('a blocked move of the history is undone, and made again when it proceeds', async () => {
  const { history, router, shown } = await start('/');
  await router.navigate('/b');
  const asked: string[] = [];
  let proceed: () => void = () => undefined;
  router.block(({ pathname }, go) => {
    asked.push(pathname);
    proceed = go;
    return true;
  });
  history.go(-1);
  await settled();
  expect([shown(), history.location.pathname]).toStrictEqual(['/b', '/b']);
  proceed();
  await settled();
  expect([shown(), history.location.pathname]).toStrictEqual(['/', '/']);
  expect(asked).toStrictEqual(['/']);
});
