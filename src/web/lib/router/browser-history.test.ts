import { afterEach, expect, test } from 'vitest';
import { browserHistory } from './browser-history.ts';

const at = (pathname: string) => ({ pathname, search: '?a=1', hash: '', key: pathname });

afterEach(() => window.history.replaceState(null, '', '/'));

/** Moves in the history, and returns the distance that the listener got. */
async function moved(history: ReturnType<typeof browserHistory>, delta: number): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const end = history.listen(resolve);
  history.go(delta);
  await promise.finally(end);
  return promise;
}

test('entries have addresses and keys, and moves are counted', async () => {
  const history = browserHistory();
  history.push(at('/one'));
  history.push(at('/two'));
  history.replace(at('/three'));
  expect(history.location).toStrictEqual(at('/three'));
  expect(await moved(history, -2)).toBe(-2);
  expect(await moved(history, 1)).toBe(1);
  expect(history.location).toStrictEqual(at('/one'));
  // After a reload the place in the history is still known.
  expect(await moved(browserHistory(), 1)).toBe(1);
});

test('an entry without the state of this client is a move of unknown length', async () => {
  const history = browserHistory();
  history.push(at('/one'));
  window.history.pushState(null, '', '/one#main');
  window.history.pushState(null, '', '/one#other');
  expect(await moved(history, -1)).toBeNull();
});
