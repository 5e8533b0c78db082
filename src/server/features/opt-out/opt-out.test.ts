import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { EXAMPLE_MAIL_KEY } from '#domain/law/refusal-place.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { form } from '#test/faults/form.ts';
import { acceptMails } from '#test/mails.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, countStates } from '#test/sending.ts';
import { refuseFoundMail } from './refuse.command.ts';
import { findMail } from './refused-mail.queries.ts';

const UNKNOWN = 'f'.repeat(32);
const ONE_CLICK = 'List-Unsubscribe=One-Click';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const MINUTE_MS = 60_000;

let database: TestDatabase;
let tenant: Tenant;
let site: string;
let now: number;
let key: string;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  now = Date.now();
  site = await serveSite();
  [key = ''] = await acceptedKeys(1);
});

async function serveSite(options: Parameters<typeof serveApp>[2] = {}): Promise<string> {
  const { address } = await serveApp(database, () => now, options);
  return address.replace(API_BASE, '');
}

/** Accepts a run. @returns the keys of its mails */
async function acceptedKeys(count: number, options?: Parameters<typeof acceptRun>[3]): Promise<string[]> {
  return keysOf((await acceptRun(database, tenant, count, options)).id);
}

async function keysOf(runId: number): Promise<string[]> {
  const rows = await database.db
    .selectFrom('delivery')
    .select('mail_key')
    .where('send_log_id', '=', runId)
    .orderBy('id')
    .execute();
  return rows.map(({ mail_key }) => (mail_key ?? '').replaceAll('-', ''));
}

interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

async function ask(path: string, init: RequestInit = {}): Promise<Page> {
  const response = await fetch(`${site}/u/${path}`, { redirect: 'manual', ...init });
  return { status: response.status, text: await response.text(), headers: response.headers };
}
const post = (path: string, body?: string, headers: Record<string, string> = {}) =>
  ask(path, { method: 'POST', headers, ...(body !== undefined && { body }) });
const submit = (path: string, values: Record<string, string>) =>
  post(path, new URLSearchParams({ way: 'link', ...values }).toString(), FORM);

const suppressions = () =>
  database.db
    .selectFrom('suppression')
    .select(['kind', 'value', 'class', 'source', 'opt_out_reason', 'cancels_mails'])
    .orderBy('id')
    .execute();
const events = async () =>
  (await database.db.selectFrom('audit_event').select('kind').orderBy('id').execute())
    .map(({ kind }) => kind)
    .filter((kind) => kind.startsWith('opt_out'));

const REFUSED = {
  kind: 'address',
  value: 'info0@a.example',
  class: 'refused',
  source: 'one_click',
  opt_out_reason: null,
  cancels_mails: false,
};

describe('the page', () => {
  test('lawful 1: says who stops what, hides most of the address, and changes nothing, however often it is opened', async () => {
    const pages = await Promise.all(Array.from({ length: 100 }, () => ask(key)));
    expect(pages.map(({ status }) => status)).toStrictEqual(Array(100).fill(200));
    expect(pages[0]?.text).toContain('in***@a.example');
    expect(pages[0]?.text).not.toContain('info0@a.example');
    expect(pages[0]?.text).toContain('へのご案内メールを停止します。');
    expect(await suppressions()).toStrictEqual([]);
    expect(await events()).toStrictEqual([]);
  });

  test('lawful §10.3: the links of all 1,000 mails (100 in `npm test`) of a run are opened, and nobody has refused', async () => {
    const mails = form.isLong ? 1000 : 100;
    await acceptMails(database, mails);
    const rows = await database.db.selectFrom('delivery').select('mail_key').execute();
    const statuses: number[] = [];
    for (let from = 0; from < rows.length; from += 50) {
      const pages = await Promise.all(
        rows.slice(from, from + 50).map(({ mail_key }) => ask(mail_key?.replaceAll('-', '') ?? '')),
      );
      statuses.push(...pages.map(({ status }) => status));
    }
    expect(statuses).toStrictEqual(Array(mails + 1).fill(200));
    expect(await suppressions()).toStrictEqual([]);
    expect(await countStates(database.db)).toStrictEqual({ queued: mails + 1 });
  });

  test('lawful 2: HEAD answers without a body, and changes nothing', async () => {
    expect(await ask(key, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect(await suppressions()).toStrictEqual([]);
  });

  test.each(['OPTIONS', 'PUT', 'DELETE'])('lawful 3: %s does not exist', async (method) => {
    expect(await ask(key, { method })).toMatchObject({ status: 404 });
    expect(await suppressions()).toStrictEqual([]);
  });

  test('lawful 28, 29: is in no frame, names no referrer, has no script and is not indexed', async () => {
    const { headers, text } = await ask(key);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('set-cookie')).toBeNull();
    expect(text).not.toContain('<script');
    const style = await fetch(`${site}/u/page.css`);
    expect([style.status, style.headers.get('content-type')]).toStrictEqual([200, 'text/css; charset=utf-8']);
  });

  test('names the official name of the run as text', async () => {
    await database.db
      .updateTable('send_log')
      .set({ mail: JSON.stringify({ legal: { official_name: '<b>株式会社みどり</b>' } }) })
      .execute();
    expect((await ask(key)).text).toContain('<span class="name">&lt;b&gt;株式会社みどり&lt;/b&gt;</span>から');
  });

  test.each(['', '。', '>', '%3E', '/', '?utm=x', '%0d%0a', '0', '/x'])(
    'lawful 12–14: knows a key in capital letters, followed by %j',
    async (end) => {
      const written = key.toUpperCase() + end;
      expect(await ask(written)).toMatchObject({ status: 200 });
      expect(await post(written, ONE_CLICK, FORM)).toMatchObject({ status: 200 });
      expect(await suppressions()).toStrictEqual([REFUSED]);
    },
  );

  test.each([
    ['unknown (lawful 15)', () => UNKNOWN],
    ['too short (lawful 14)', () => key.slice(1)],
    ['no key at all', () => 'x/y/z'],
  ])('does not know a key that is %s', async (_, written) => {
    for (const page of [await ask(written()), await post(written()), await post(`${written()}/undo`)]) {
      expect(page).toMatchObject({ status: 404, text: expect.stringContaining('このリンクでは手続きできません') });
    }
    expect(await suppressions()).toStrictEqual([]);
  });

  test('lawful 17: of a company that was archived since refuses all the same', async () => {
    await database.db.updateTable('prospect').set({ archived_at: new Date() }).execute();
    expect(await ask(key)).toMatchObject({ status: 200, text: expect.stringContaining('in***@a.example') });
    expect(await post(key, ONE_CLICK, FORM)).toMatchObject({ status: 200 });
    expect(await suppressions()).toStrictEqual([REFUSED]);
  });

  test('lawful 19: of a test mail registers nothing', async () => {
    const [testKey = ''] = await acceptedKeys(1, { test: true });
    for (const page of [await ask(testKey), await post(testKey, ONE_CLICK, FORM), await post(`${testKey}/undo`)]) {
      expect(page).toMatchObject({ status: 200, text: expect.stringContaining('テスト送信のメールです。') });
    }
    expect(await suppressions()).toStrictEqual([]);
  });

  test('lawful 20: of an example registers nothing', async () => {
    for (const page of [await ask(EXAMPLE_MAIL_KEY), await post(EXAMPLE_MAIL_KEY, ONE_CLICK, FORM)]) {
      expect(page).toMatchObject({ status: 200, text: expect.stringContaining('見本のリンクです。') });
    }
    expect(await suppressions()).toStrictEqual([]);
  });
});

describe('a refusal', () => {
  test.each<[string, string | undefined, Record<string, string>]>([
    ['lawful 4: one click', ONE_CLICK, FORM],
    [
      'lawful 5: one click in several parts',
      `--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n`,
      { 'content-type': 'multipart/form-data; boundary=b' },
    ],
    ['lawful 6: nothing at all', undefined, {}],
    ['lawful 7: text', 'please', { 'content-type': 'text/plain' }],
    ['lawful 7: broken JSON', '{', { 'content-type': 'application/json' }],
    ['lawful 8: a malformed type', ONE_CLICK, { 'content-type': ';;;/' }],
    ['lawful 8: a type without an end', ONE_CLICK, { 'content-type': 'multipart/form-data; boundary="' }],
    ['lawful 24: a reason that nobody offers', 'reason=<script>&scope=', FORM],
  ])('%s', async (_, body, headers) => {
    const page = await post(key, body, headers);
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('配信停止を受け付けました。') });
    expect(await suppressions()).toStrictEqual([REFUSED]);
    expect(await events()).toStrictEqual(['opt_out']);
  });

  test.each(['gzip', 'br', 'GZIP, deflate', 'x-unknown', ''])(
    'with the Content-Encoding %j is of the address alone, and not unpacked',
    async (encoding) => {
      const headers = { ...FORM, 'content-encoding': encoding };
      for (const body of [gzipSync('scope=domain&reason=other'), Buffer.from('scope=domain&way=link')]) {
        const page = await ask(key, { method: 'POST', headers, body });
        expect(page).toMatchObject({ status: 200, text: expect.stringContaining('配信停止を受け付けました。') });
      }
      expect(await suppressions()).toStrictEqual([REFUSED]);
      const undone = await ask(`${key}/undo`, { method: 'POST', headers });
      expect(undone).toMatchObject({ status: 200, text: expect.stringContaining('配信停止を取り消しました。') });
    },
  );

  test('by the form of the page has its reason, and says so when the page is opened again', async () => {
    const page = await submit(key, { reason: 'too_many' });
    expect(page.text).toContain('誤って押した場合は、30分以内なら取り消せます。');
    expect(await suppressions()).toStrictEqual([{ ...REFUSED, source: 'link', opt_out_reason: 'too_many' }]);
    expect((await ask(key)).text).toMatch(/配信停止は\d+\/\d+（.）\d+:\d\dに受け付け済みです。/);
  });

  test('lawful 9: of more than a form can have stores nothing', async () => {
    expect(await post(key, 'x'.repeat(10_000_000), FORM)).toMatchObject({ status: 413 });
    expect(await suppressions()).toStrictEqual([]);
  });

  test('lawful 10: of a body that never ends is cut off, and stores nothing', async () => {
    site = await serveSite({ times: { requestMs: 300, checkMs: 50 } });
    const { hostname, port } = new URL(site);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let read = '';
      socket.setEncoding('utf8').on('data', (part: string) => {
        read += part;
      });
      socket.on('error', reject).on('close', () => resolve(read));
      socket.write(`POST /u/${key} HTTP/1.1\r\nHost: ${hostname}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(await suppressions()).toStrictEqual([]);
  });

  test('lawful 11: repeated 50 times at once is one', async () => {
    const pages = await Promise.all(Array.from({ length: 50 }, () => post(key, ONE_CLICK, FORM)));
    expect(pages.map(({ status }) => status)).toStrictEqual(Array(50).fill(200));
    expect(await suppressions()).toStrictEqual([REFUSED]);
    expect(await events()).toStrictEqual(['opt_out']);
  });

  test('lawful 15, 16: with a known key is never limited, with an unknown one 60 a minute', async () => {
    site = await serveSite({ rates: { member: 1, account: 1, visitor: 60 } });
    for (let n = 0; n < 60; n += 1) expect(await post(UNKNOWN)).toMatchObject({ status: 404 });
    const refused = await post(UNKNOWN);
    expect([refused.status, refused.headers.get('retry-after')]).toStrictEqual([429, '60']);
    for (let n = 0; n < 70; n += 1) expect(await post(key, ONE_CLICK, FORM)).toMatchObject({ status: 200 });
    now += MINUTE_MS;
    expect(await post(UNKNOWN)).toMatchObject({ status: 404 });
  });

  test('lawful 25: with a forged X-Forwarded-For counts for the network that it really comes from', async () => {
    site = await serveSite({ rates: { member: 1, account: 1, visitor: 3 } });
    const statuses = [];
    for (let n = 0; n < 4; n += 1) {
      statuses.push((await post(UNKNOWN, '', { 'x-forwarded-for': `203.0.113.${n}` })).status);
    }
    expect(statuses).toStrictEqual([404, 404, 404, 429]);
  });

  test('lawful 26: is asked for again while the database is away', async () => {
    const gone = openDatabase('postgres://nobody:x@127.0.0.1:1/none').db;
    const { address } = await serveApp({ ...database, login: gone });
    site = address.replace(API_BASE, '');
    const page = await post(key, ONE_CLICK, FORM);
    expect(page).toMatchObject({ status: 503, text: expect.stringContaining('ただいま手続きできません。') });
    expect(page.headers.get('retry-after')).toBe('60');
  });
});

describe('the whole domain', () => {
  const isOffered = async () => (await ask(key)).text.includes('@a.example のすべてのアドレスで停止する');

  test('is offered, and refused with the address', async () => {
    expect(await isOffered()).toBe(true);
    await submit(key, { scope: 'domain' });
    const found = await suppressions();
    expect(found.map(({ kind, value }) => [kind, value])).toStrictEqual([
      ['address', 'info0@a.example'],
      ['domain', 'a.example'],
    ]);
    await post(`${key}/undo`);
    expect(await suppressions()).toStrictEqual([]);
  });

  test.each([
    ['another company', {}],
    ['an archived company', { archived_at: new Date() }],
  ])('lawful 21: where %s has an address in it, only the address is refused', async (_, values) => {
    await addProspects(database.db, tenant.accountId, [{ company_email: 'other@a.example', ...values }]);
    expect(await isOffered()).toBe(false);
    await submit(key, { scope: 'domain' });
    expect(await suppressions()).toMatchObject([{ kind: 'address' }]);
  });

  test("of another account's company does not count", async () => {
    const other = await addTenant(database.db);
    await addProspects(database.db, other.accountId, [{ company_email: 'other@a.example' }]);
    expect(await isOffered()).toBe(true);
  });
});

describe('undone', () => {
  const undo = (of = key) => post(`${of}/undo`);

  test('within 30 minutes by its key, however often it is asked for', async () => {
    await post(key, ONE_CLICK, FORM);
    now += 30 * MINUTE_MS - 1;
    for (const page of [await undo(), await undo()]) {
      expect(page).toMatchObject({ status: 200, text: expect.stringContaining('配信停止を取り消しました。') });
    }
    expect(await suppressions()).toStrictEqual([]);
    expect(await events()).toStrictEqual(['opt_out', 'opt_out_undone']);
    const lifted = database.db.selectFrom('lifted_suppression').select(['value', 'lift_reason', 'lifted_by']);
    expect(await lifted.execute()).toStrictEqual([
      { value: 'info0@a.example', lift_reason: 'undone', lifted_by: null },
    ]);
  });

  test('three times a mail, whatever the way of refusing was; then the address stays refused', async () => {
    const ways = [
      () => post(key, ONE_CLICK, FORM),
      () => submit(key, { scope: 'domain' }),
      () => submit(key, { reason: 'other' }),
    ];
    for (const refuse of ways) {
      for (let n = 0; n < 2; n += 1) await refuse();
      for (let n = 0; n < 2; n += 1) expect(await undo()).toMatchObject({ status: 200 });
    }
    const last = await submit(key, { scope: 'domain' });
    expect(last.text).toContain('配信停止を受け付けました。');
    for (const { text } of [last, await ask(key), await post(key, ONE_CLICK, FORM)]) expect(text).not.toContain('undo');
    for (let n = 0; n < 2; n += 1) {
      const page = await undo();
      expect([page.status, /<p role="status">(.*)<\/p>/.exec(page.text)?.[1]]).toStrictEqual([
        409,
        '配信は停止したままです。取り消しは3回までです。再開をご希望の場合は、メールに記載の連絡先へご連絡ください。',
      ]);
    }
    expect(await suppressions()).toMatchObject([{ kind: 'address' }, { kind: 'domain' }]);
    const rounds = Array<string[]>(3).fill(['opt_out', 'opt_out_undone']).flat();
    expect(await events()).toStrictEqual([...rounds, 'opt_out']);
  });

  test('rounds without end write rows of the first three alone, also by the mails to our own inbox', async () => {
    const services = { now: () => now, accountDb: accountDbOf(database.service.db) };
    const found = (await findMail(database.login, key)) ?? expect.unreachable();
    const rows = async () => {
      const tables = ['audit_event', 'notice_event', 'suppression', 'lifted_suppression'] as const;
      return Promise.all(
        tables.map(async (table) => (await database.db.selectFrom(table).select('id').execute()).length),
      );
    };
    const round = async () => {
      for (const source of ['mailto', 'complaint', 'reply', 'one_click', 'link'] as const) {
        await refuseFoundMail(services, found, { source, wholeDomain: source === 'link', reason: null });
      }
      await undo();
    };
    for (let n = 0; n < 4; n += 1) await round();
    const after = await rows();
    for (let n = 0; n < 4; n += 1) await round();
    expect(await rows()).toStrictEqual(after);
  });

  test('lawful 22: not later', async () => {
    await post(key, ONE_CLICK, FORM);
    now += 30 * MINUTE_MS;
    expect(await undo()).toMatchObject({ status: 409, text: expect.stringContaining('取り消せませんでした') });
    expect(await suppressions()).toHaveLength(1);
    expect((await ask(key)).text).not.toContain('取り消す');
  });

  test('lawful 23: not where a person entered it', async () => {
    const { accountId: account_id, memberId: member_id } = tenant;
    await database.db
      .insertInto('suppression')
      .values({ account_id, member_id, kind: 'address', value: 'info0@a.example', class: 'refused', source: 'manual' })
      .execute();
    expect((await post(key, ONE_CLICK, FORM)).text).toContain('に受け付け済みです。');
    expect(await undo()).toMatchObject({ status: 409 });
    expect(await suppressions()).toHaveLength(1);
  });

  test('not where another mail to the address was refused as well', async () => {
    const [company = 0] = await addProspects(database.db, tenant.accountId, [{}]);
    const run = await addDelivery(database.db, tenant, company, { state: 'sent', mailTo: 'info0@a.example' });
    const [second = ''] = await keysOf(run);
    await post(key, ONE_CLICK, FORM);
    await post(second, ONE_CLICK, FORM);
    expect(await undo()).toMatchObject({ status: 409 });
    expect(await undo(second)).toMatchObject({ status: 409 });
    expect(await suppressions()).toHaveLength(1);
  });

  test('leaves what its mail server or a member said of the address', async () => {
    for (const type of ['undeliverable', 'blocked']) {
      await database.db
        .insertInto('suppression')
        .values({ account_id: tenant.accountId, kind: 'address', value: 'info0@a.example', class: type })
        .execute();
    }
    await post(key, ONE_CLICK, FORM);
    expect(await suppressions()).toHaveLength(3);
    expect(await undo()).toMatchObject({ status: 200 });
    expect((await suppressions()).map((one) => one.class)).toStrictEqual(['undeliverable', 'blocked']);
  });
});
