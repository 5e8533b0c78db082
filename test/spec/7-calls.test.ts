import { expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { serve } from '#test/client.ts';
import { SPECIFIED_CALLS } from './calls.ts';
import { openScene } from './scene.ts';

/** Section 7: every call of its table is there, under its path. What each takes and answers as axios writes it: test/axios.test.ts. */

test('§7 every call of the table is served under /api/v1, with and without a slash at its end', async () => {
  const { database } = await openScene([]);
  const address = await serve(database);
  expect([API_BASE, SPECIFIED_CALLS.length]).toStrictEqual(['/api/v1', 18]);
  const ask = async (method: string, path: string) => (await fetch(address + path, { method })).status;
  expect(await ask('POST', '/no/such/call')).toBe(404);
  for (const name of SPECIFIED_CALLS) {
    const [method = '', path = ''] = name
      .replaceAll(/\{\w+\}/g, '1')
      .replace(/\/$/, '')
      .split(' ');
    // Known, and refused: without a token, or the login without a body.
    const refused = path === '/auth/login' ? 400 : 401;
    for (const written of [path, `${path}/`]) {
      expect([method, written, await ask(method, written)]).toStrictEqual([method, written, refused]);
    }
  }
});
