import { beforeAll, expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { EXAMPLE_MAIL_KEY } from '#domain/law/refusal-place.ts';
import { openSessionOf } from '../accounts.ts';
import { serveApp } from '../client.ts';
import { emptyDatabase, type TestDatabase } from '../db.ts';
import { addFullTenant, type FullTenant, fingerprint } from './full-tenant.ts';
import { seeded } from './random-call.ts';

/** The page of opt-out links has no login. Anyone with a key may use it; it acts only in the key's account. */

let database: TestDatabase;
let site: string;
let one: FullTenant;
let other: FullTenant;

beforeAll(async () => {
  database = await emptyDatabase();
  one = await addFullTenant(database.db, 'ownermark');
  other = await addFullTenant(database.db, 'strangermark');
  site = (await serveApp(database)).address.replace(API_BASE, '');
});

/** The credentials that each kind of caller sends. */
const CALLERS: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  'a visitor': async () => ({}),
  'a malformed token': async () => ({ authorization: 'Bearer not-a-token' }),
  'the account itself': async () => sessionOf(one),
  'another account': async () => sessionOf(other),
};
const sessionOf = async ({ accountId }: FullTenant) => ({
  authorization: `Bearer ${await openSessionOf(database.login, accountId, Date.now())}`,
});
const FORM = 'application/x-www-form-urlencoded';

test.each(Object.entries(CALLERS))(
  'lawful 18: every act with a key changes rows of its account only: %s',
  async (_, headersOf) => {
    const headers = { ...(await headersOf()), 'content-type': FORM };
    // A mail has three undos, so they are reset.
    await database.db.deleteFrom('lifted_suppression').execute();
    const unchanged = await fingerprint(database.db, other.accountId);
    const before = await fingerprint(database.db, one.accountId);
    for (const method of ['GET', 'HEAD']) {
      const page = await fetch(`${site}/u/${one.mailKey}`, { method, headers });
      expect(page.status).toBe(200);
      expect(await page.text()).not.toContain('strangermark');
    }
    expect(await fingerprint(database.db, one.accountId)).toStrictEqual(before);
    for (const path of ['', '/undo']) {
      const body = 'way=link&scope=domain&reason=other';
      const page = await fetch(`${site}/u/${one.mailKey}${path}`, { method: 'POST', headers, body });
      expect([path, page.status]).toStrictEqual([path, 200]);
      expect(await page.text()).not.toContain('strangermark');
    }
    const changed = Object.entries(await fingerprint(database.db, one.accountId)).flatMap(([table, print]) =>
      print === before[table] ? [] : [table],
    );
    expect(changed).toStrictEqual(['audit_event', 'lifted_suppression', 'notice_event', 'report_change']);
    expect(await fingerprint(database.db, other.accountId)).toStrictEqual(unchanged);
  },
);

const CALLS = Number(process.env.FUZZ_CALLS ?? 2000) / 10;

test(`${CALLS} random requests with the keys of one account and of nobody change nothing of another`, async () => {
  const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const random = seeded(seed);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const unchanged = await fingerprint(database.db, other.accountId);
  const digits = () => Array.from({ length: 32 }, () => pick([...'0123456789abcdefABCDEF'])).join('');
  for (let done = 0; done < CALLS; done += 1) {
    const key = pick([one.mailKey, one.mailKey, digits(), EXAMPLE_MAIL_KEY, other.mailKey.slice(1), 'x', '']);
    const path = key + pick(['', '', '/undo', '/', '。', '?a=1', '/../x', `/${other.mailKey}`]);
    const method = pick(['GET', 'POST', 'POST', 'HEAD', 'PUT']);
    const body = pick([
      '',
      'scope=domain',
      'reason=other',
      `key=${other.mailKey}`,
      '{"key":1}',
      'List-Unsubscribe=One-Click',
    ]);
    const type = pick([FORM, 'application/json', 'text/plain', 'multipart/form-data', ';']);
    const asked = method === 'POST' ? { method, body, headers: { 'content-type': type } } : { method };
    const { status } = await fetch(`${site}/u/${path}`, asked);
    expect([200, 404, 409], `seed ${seed}: ${method} /u/${path} ${type} ${body} → ${status}`).toContain(status);
  }
  expect([seed, await fingerprint(database.db, other.accountId)]).toStrictEqual([seed, unchanged]);
});
