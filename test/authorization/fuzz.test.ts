import { expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { openSessionOf } from '../accounts.ts';
import { readAnswer, serveApp } from '../client.ts';
import { describedCalls } from '../contract.ts';
import { emptyDatabase } from '../db.ts';
import { addFullTenant, fingerprint } from './full-tenant.ts';
import { requestOf } from './matrix-row.ts';
import { type ApiDocument, randomCalls, seeded } from './random-call.ts';

/** The number of calls; `npm run faults` makes 10,000. */
const CALLS = Number(process.env.FUZZ_CALLS ?? 2000);
const AT_ONCE = 8;

/** Calls that take a single-use key, which another call may have used. */
const BY_KEY = new Set(['POST /sender_confirmation', 'POST /auth/password_reset/confirm', 'POST /mailbox/authorized']);

/** One account makes every call with another account's ids and secrets: the calls reveal and change nothing. */
test(`${CALLS} random calls of a stranger reveal and change nothing`, async () => {
  const database = await emptyDatabase();
  const victim = await addFullTenant(database.db, 'ownermark');
  const asker = await addFullTenant(database.db, 'strangermark');
  const { address } = await serveApp(database);
  const document = (await describedCalls()) as ApiDocument;
  const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const next = randomCalls(document, { victim, asker, random: seeded(seed) });
  const before = await fingerprint(database.db, victim.accountId);
  const answers = new Map<string, Set<number>>();

  async function ask(): Promise<void> {
    const { operation, method, path, headers, body } = next();
    const token = await openSessionOf(database.login, asker.accountId, Date.now());
    const asked = requestOf(body as object | undefined);
    const response = await fetch(address + path.replace(API_BASE, ''), {
      method,
      ...asked,
      headers: { ...headers, authorization: `Bearer ${token}`, ...asked.headers },
    });
    const text = await readAnswer(response);
    const exchange = `seed ${seed}: ${method} ${path} ${JSON.stringify(headers)} ${JSON.stringify(body)} → ${response.status} ${text}`;
    expect(response.status, exchange).toBeLessThan(500);
    // The answer may repeat only the one text of the other account that the calls send.
    expect(text.replaceAll(victim.pending, ''), exchange).not.toContain('ownermark');
    answers.set(operation, (answers.get(operation) ?? new Set()).add(response.status));
  }

  for (let done = 0; done < CALLS; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, ask));

  expect([seed, await fingerprint(database.db, victim.accountId)]).toStrictEqual([seed, before]);
  // Almost each operation sometimes succeeded, was not found or met a conflict: not all were refused as malformed.
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const useless = operations.filter((operation) => {
    if (BY_KEY.has(operation)) return false;
    const statuses = answers.get(operation);
    return ![200, 401, 404, 409].some((status) => statuses?.has(status));
  });
  expect(useless.length, `seed ${seed}: ${useless.join(', ')}`).toBeLessThan(operations.length / 10);
}, 300_000);
