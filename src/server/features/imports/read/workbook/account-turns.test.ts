import { expect, test } from 'vitest';
import { accountTurns } from './account-turns.ts';

/** A queue whose works end one after the other, by `next`. */
function scene() {
  const inTurn = accountTurns();
  const begun: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const begin = (name: string, signal?: AbortSignal): Promise<string> =>
    inTurn(name.charCodeAt(0), signal, () => {
      begun.push(name);
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      ends.push((error) => (error === undefined ? resolve(name) : reject(error)));
      return promise;
    });
  const settled = () => new Promise(setImmediate);
  /** Ends the present work, and lets the next one begin. */
  const next = async (error?: Error): Promise<void> => {
    await settled();
    ends.shift()?.(error);
    await settled();
  };
  return { begin, begun, next };
}

test('accounts take turns, whatever each has in the queue, and those without a turn come first', async () => {
  const { begin, begun, next } = scene();
  const all = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => begin(name));
  await next();
  all.push(begin('c1'), begin('b3'));
  for (let n = 1; n < all.length; n += 1) await next();
  expect(begun).toStrictEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'b3']);
  expect(await Promise.all(all)).toHaveLength(7);
});

test('a work that fails, and one that is given up while it waits, let the next begin', async () => {
  const { begin, begun, next } = scene();
  const gone = new AbortController();
  const failing = begin('a1');
  const waiting = begin('b1', gone.signal);
  const last = begin('c1');
  gone.abort(new Error('the client is gone'));
  await expect(waiting).rejects.toThrow('the client is gone');
  const failed = expect(failing).rejects.toThrow('broken');
  await next(new Error('broken'));
  await failed;
  await next();
  expect(await last).toBe('c1');
  await expect(begin('d1', gone.signal)).rejects.toThrow('the client is gone');
  expect(begun).toStrictEqual(['a1', 'c1']);
});
