import { expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { serve } from '#test/client.ts';
import { emptyDatabase } from '#test/db.ts';
import { addTenant } from '#test/prospects.ts';
import { openSessionOf } from '../accounts.ts';
import { exchange, requestText } from '../raw-http.ts';

const TEN_MB = 10_000_000;

/** Tests that the server neither hashes nor reads ten million characters. */
test.each<[string, (password: string) => [header: string, body: string]]>([
  ['as it is', (password: string) => [`Content-Length: ${TEN_MB}`, password]],
  [
    'in chunks, without a length',
    (password: string) => ['Transfer-Encoding: chunked', `${password.length.toString(16)}\r\n${password}\r\n0\r\n\r\n`],
  ],
])('bad-inputs 59: a password of 10 MB, %s, is refused as too large', async (_, written) => {
  const database = await emptyDatabase();
  const { accountId } = await addTenant(database.db);
  const token = await openSessionOf(database.login, accountId, Date.now());
  const api = await serve(database);
  const [length, body] = written(`{"password":"${'x'.repeat(TEN_MB - 14)}"`);
  for (const target of [`POST ${API_BASE}/auth/login`, `PUT ${API_BASE}/auth/password/${accountId}`]) {
    const headers = ['Content-Type: application/json', `Authorization: Bearer ${token}`, length];
    const answer = await exchange(api, [requestText(target, headers), body]);
    expect([target, answer.status, JSON.parse(answer.body)]).toMatchObject([target, 413, { code: expect.any(String) }]);
  }
});
