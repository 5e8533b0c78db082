import { beforeEach, describe, expect, test } from 'vitest';
import type { CallAnswer } from '#contract/call.ts';
import type { checkMails as checkCall } from '#contract/sending/mail-preview.ts';
import { MAX_TARGETS } from '#domain/limits.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addFields, setOwn } from '#test/own-data.ts';
import { addManyProspects, addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { countStates } from '#test/sending.ts';
import { checkMails } from './check-mails.ts';

type Check = CallAnswer<typeof checkCall>;

let database: TestDatabase;
let tenant: Tenant;
let client: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
});

const companies = (...ceos: readonly string[]) =>
  addProspects(
    database.db,
    tenant.accountId,
    ceos.map((ceo, index) => ({ company_name: `株式会社${index + 1}`, company_email: `a${index}@a.example`, ceo })),
  );

const targets = (ids: readonly number[]) => ids.map((prospect_id) => ({ prospect_id }));

async function check(ids: readonly number[], body: object = {}): Promise<Check> {
  const asked = { test_send_mode: 0, attack_list: targets(ids), ...body };
  return (await client.post(`/mail/check/${tenant.senderId}`, asked)).body as Check;
}

const template = (text_body: string, html_body = '<p>本文</p>') =>
  database.db.updateTable('mail_template').set({ text_body, html_body }).execute();

test('checks all mails of a list, not only the first, and sends nothing', async () => {
  await template('{{ person_in_charge }}');
  const ids = await companies('山田 太郎', '佐藤 花子', '');
  expect(await check(ids)).toStrictEqual({
    total: 3,
    checked: 3,
    warnings: [{ kind: 'blank_field', text: 'person_in_charge', count: 1, prospect_ids: [ids[2]] }],
    skipped: [],
    legal_faults: [],
    without_source: 3,
  });
  expect(await countStates(database.db)).toStrictEqual({});
});

test('counts the mails with the same point, also where their words differ by company, and names the first 20', async () => {
  await template('{{ person_in_charge }}様');
  const ids = await companies(...Array.from({ length: 25 }, (_, index) => `山田 ${index}`));
  const { warnings } = await check(ids);
  expect(warnings).toStrictEqual([
    { kind: 'doubled_honorific', text: '様様', count: 25, prospect_ids: ids.slice(0, 20) },
  ]);
});

test('names no own value of one company for several, and counts the companies without one', async () => {
  const [field = 0] = (
    await addFields(database.db, tenant.accountId, [{ key: 'site', label: 'サイト', type: 'text' }])
  ).values();
  const ids = await companies('山田', '佐藤', '鈴木');
  for (const [at, id] of ids.slice(0, 2).entries()) {
    await setOwn(database.db, tenant.accountId, id, { vals: { [field]: `www.a${at}.example` } });
  }
  await template('。{{ custom.site }}', '<a href="/{{ custom.site }}">x</a>');
  expect((await check(ids)).warnings).toStrictEqual([
    { kind: 'bad_link', text: '/…', count: 2, prospect_ids: ids.slice(0, 2) },
    { kind: 'blank_field', text: 'custom.site', count: 1, prospect_ids: ids.slice(2) },
    { kind: 'bad_link', text: '/', count: 1, prospect_ids: ids.slice(2) },
  ]);
});

test('shows the words of a point as the mails have them, but no name of one company for several', async () => {
  const link = '<a href="/{{ company_name }}/{{ person_in_charge }}">x</a><a href="/about">y</a>';
  await template('御中様、{{ company_name }}各位様', `<p>本文</p>${link}`);
  const [first = 0, second = 0] = await companies('山田 <太郎>', '佐藤 花子');
  const of = (prospect_ids: readonly number[]) => (kind: string, text: string) => ({
    kind,
    text,
    count: prospect_ids.length,
    prospect_ids,
  });
  const one = of([first]);
  expect((await check([first])).warnings).toStrictEqual([
    one('doubled_honorific', '御中様'),
    one('doubled_honorific', '株式会社1各位様'),
    one('bad_link', '/株式会社1/山田 <太郎> 様'),
    one('bad_link', '/about'),
  ]);
  const both = of([first, second]);
  expect((await check([first, second])).warnings).toStrictEqual([
    both('doubled_honorific', '御中様'),
    both('doubled_honorific', '各位様'),
    both('bad_link', '/…/… 様'),
    both('bad_link', '/about'),
  ]);
});

test('cuts the words of a point that are longer than anybody reads', async () => {
  await template('本文', `<p>本文</p><a href="${'a'.repeat(90_000)}">x</a>`);
  const { warnings } = await check(await companies('山田'));
  expect(warnings.map(({ kind, text }) => [kind, text.slice(0, 3), text.length])).toStrictEqual([
    ['bad_link', 'aaa', 200],
  ]);
});

test('counts a long link with names of different length once', async () => {
  await template('本文', `<p>本文</p><a href="/{{ company_name }}/{{ person_in_charge }}/${'a'.repeat(300)}">x</a>`);
  const { warnings } = await check(await companies('山田', '佐々木 花子'));
  expect(warnings.map(({ kind, text, count }) => [kind, text.slice(0, 5), count])).toStrictEqual([
    ['bad_link', '/…/… ', 2],
  ]);
});

test('counts a link with names once where one of them is written out in the mail', async () => {
  await template('本文', '<p>本文</p><a href="/{{ company_name }}">x</a>');
  const asked = await companies('山田', '佐藤');
  await database.db
    .updateTable('prospect')
    .set({ company_name: '㈱あ' })
    .where('id', '=', asked[1] ?? 0)
    .execute();
  expect((await check(asked)).warnings).toMatchObject([{ kind: 'bad_link', text: '/…', count: 2 }]);
});

test('names the mail that would not show what the law asks, though the example does', async () => {
  await template('本文', `{% if company_name == '株式会社2' %}<div style="display:none">{% endif %}<p>本文</p>`);
  const ids = await companies('山田 太郎', '佐藤 花子');
  const { warnings, legal_faults } = await check(ids);
  expect(legal_faults).toStrictEqual([]);
  expect(warnings).toStrictEqual([
    { kind: 'unlawful', text: expect.stringContaining('法定表示が足りない'), count: 1, prospect_ids: [ids[1]] },
  ]);
});

test('names the mail that cannot be made', async () => {
  await database.db.updateTable('sender').set({ subject: '{{ company_name }}' }).execute();
  const ids = await companies('山田 太郎', '佐藤 花子');
  await database.db
    .updateTable('prospect')
    .set({ company_name: 'あ\nい' })
    .where('id', '=', ids[1] ?? 0)
    .execute();
  expect((await check(ids)).warnings).toStrictEqual([
    { kind: 'unusable', text: '件名に改行が含まれています。', count: 1, prospect_ids: [ids[1]] },
  ]);
});

describe('its bounds', () => {
  test('the most mails of a run are checked in one pass', async () => {
    await addManyProspects(database.db, tenant.accountId, MAX_TARGETS);
    const rows = await database.db.selectFrom('prospect').select('id').execute();
    const body = { test_send_mode: 0 as const, attack_list: targets(rows.map(({ id }) => id)) };
    const account = database.account(tenant.accountId);
    const answer = await checkMails(account, tenant.senderId, body, Date.now(), TEST_MAILING, () => 0);
    expect(answer).toMatchObject({ total: MAX_TARGETS, checked: MAX_TARGETS });
  });

  /** @param stepMs what each look at the clock takes */
  async function checkWithClock(stepMs: number): Promise<{ checked: number; turns: number }> {
    const ids = await companies(...Array.from({ length: 100 }, (_, index) => `山田 ${index}`));
    const account = database.account(tenant.accountId);
    let at = 0;
    let turns = 0;
    let isChecking = true;
    const others = () => {
      turns += 1;
      if (isChecking) setImmediate(others);
    };
    const body = { test_send_mode: 0 as const, attack_list: targets(ids) };
    const clock = () => {
      if (at === 0) setImmediate(others);
      at += stepMs;
      return at;
    };
    const answer = await checkMails(account, tenant.senderId, body, Date.now(), TEST_MAILING, clock);
    isChecking = false;
    return { checked: (answer as Check).checked, turns };
  }

  test('it stops after three seconds, and says how many it has checked', async () => {
    const { checked } = await checkWithClock(100);
    expect(checked).toBeGreaterThan(0);
    expect(checked).toBeLessThan(20);
  });

  test('other requests have their turn after each slice of 10 ms', async () => {
    const { checked, turns } = await checkWithClock(10);
    expect(checked).toBe(100);
    expect(turns).toBeGreaterThanOrEqual(100);
  });
});

test('refuses what the send refuses', async () => {
  const ids = await companies('山田 太郎');
  const body = { test_send_mode: 0, attack_list: targets(ids) };
  const stranger = await addTenant(database.db);
  expect(await client.post(`/mail/check/${stranger.senderId}`, body)).toMatchObject({ status: 404 });
  await template('{{ company_nam }}');
  expect(await client.post(`/mail/check/${tenant.senderId}`, body)).toMatchObject({
    status: 400,
    body: { code: 'invalid_template' },
  });
});
