import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { giveSendGridTemplates } from '#test/mails.ts';
import { addFields, addLabels, setOwn } from '#test/own-data.ts';
import { addPrimary } from '#test/people.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { testSendGrid } from '#test/sendgrid.ts';
import { testSink, testWorker, untilSettled, workerBy } from '#test/sending.ts';
import { setBack } from '#test/sent-run.ts';
import { sendGridTemplates, sendGridTransport } from '../delivery/transports/sendgrid/sendgrid-transport.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: number[];
let fields: ReadonlyMap<string, number>;
let ranks: number[];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  ids = await addProspects(
    database.db,
    tenant.accountId,
    ['全部', '一部', 'なし'].map((company_name, at) => ({ company_name, company_email: `a${at}@a.example` })),
  );
  fields = await addFields(database.db, tenant.accountId, [
    { key: 'rank', label: 'ランク', type: 'choice' },
    { key: 'event', label: '展示会名', type: 'text' },
    { key: 'day', label: '開催日', type: 'date' },
    { key: 'booths', label: '小間数', type: 'number' },
    { key: 'vip', label: '招待', type: 'flag' },
    { key: 'old', label: '前の項目', type: 'text', archived: true },
  ]);
  ranks = await addLabels(database.db, tenant.accountId, ['A', 'B'], fieldOf('rank'));
  const [tag = 0] = await addLabels(database.db, tenant.accountId, ['重点']);
  const [all = 0, some = 0] = ids;
  await setOwn(database.db, tenant.accountId, all, {
    labels: [tag, ranks[0] ?? 0],
    vals: {
      [fieldOf('event')]: '東京\n産業展',
      [fieldOf('day')]: '2026-10-05',
      [fieldOf('booths')]: 1234.5,
      [fieldOf('vip')]: false,
    },
  });
  await setOwn(database.db, tenant.accountId, some, { vals: { [fieldOf('event')]: '<b>大阪展</b>' } });
  const body = '{{ custom.rank }}|{{ custom.event }}|{{ custom.day }}|{{ custom.booths }}|{{ custom.vip }}';
  await setTemplate({ text_body: `。${body}`, html_body: `<p>${body}</p>` });
  await database.db.updateTable('sender').set({ subject: '{{ custom.event }}のご案内' }).execute();
});

const fieldOf = (key: string): number => fields.get(key) ?? expect.unreachable(key);
const setTemplate = (parts: { text_body: string; html_body: string }) =>
  database.db.updateTable('mail_template').set(parts).execute();

const ACCEPTED = [
  ['東京 産業展のご案内', '。A|東京 産業展|2026年10月5日|1,234.5|いいえ', 'A|東京 産業展|2026年10月5日|1,234.5|いいえ'],
  ['<b>大阪展</b>のご案内', '。|<b>大阪展</b>|||', '|&lt;b&gt;大阪展&lt;/b&gt;|||'],
  ['のご案内', '。||||', '||||'],
];

interface Shown {
  readonly subject?: string | undefined;
  readonly text?: string | undefined;
  readonly html?: string | undefined;
}
const read = (mail: Shown | undefined) => [
  mail?.subject?.trim(),
  mail?.text?.split('\n')[0],
  /^<p>(.*?)<\/p>/.exec(mail?.html ?? '')?.[1],
];

const order = (prospects: readonly number[] = ids) => ({
  test_send_mode: 0,
  attack_list: prospects.map((prospect_id) => ({ prospect_id })),
});
const sendOf = (body: object = order()) => client.post(`/mail/send/${tenant.senderId}`, body);
const send = async (body?: object) => ((await sendOf(body)).body as { send_log_id: number }).send_log_id;

async function previews(): Promise<(string | undefined)[][]> {
  const shown: (string | undefined)[][] = [];
  for (const pagenate_num of ids.keys().map((at) => at + 1)) {
    const answer = await client.post(`/mail/preview/${tenant.senderId}`, { ...order(), pagenate_num });
    shown.push(read((answer.body as { mail: Shown }).mail));
  }
  return shown;
}

const mailsOf = (run: number) =>
  database.db.selectFrom('delivery').selectAll().where('send_log_id', '=', run).orderBy('row_index').execute();

async function histories(run: number): Promise<(string | undefined)[][]> {
  const shown: (string | undefined)[][] = [];
  for (const { id } of await mailsOf(run)) {
    shown.push(read(((await client.get(`/delivery/${id}`)).body as { mail: Shown }).mail));
  }
  return shown;
}

/** Sends what waits by SMTP. @param isBlocked the server refuses each recipient @returns the mails by address */
async function sent({ isBlocked = false } = {}): Promise<(string | undefined)[][]> {
  const sink = await testSink();
  sink.fault = (moment) => (isBlocked && moment === 'RCPT' ? '550 5.7.1 blocked' : null);
  const worker = testWorker(database, sink);
  await untilSettled(database.db);
  await worker.stop();
  const mails = await Promise.all(sink.mails.map(({ source }) => PostalMime.parse(source)));
  const byAddress = mails.toSorted((a, b) => ((a.to?.[0]?.address ?? '') < (b.to?.[0]?.address ?? '') ? -1 : 1));
  return byAddress.map(read);
}

/** Changes the values of all companies, and what the fields are. */
async function changeAll(): Promise<void> {
  await sql`UPDATE prospect_own SET label_set_id = NULL,
    vals = ${JSON.stringify({ [fieldOf('event')]: 'あとの値' })}::jsonb`.execute(database.db);
  await sql`UPDATE label SET label = label || '（変更後）'`.execute(database.db);
  await sql`UPDATE custom_field SET archived_at = now()`.execute(database.db);
}

describe("the values of a mail are its acceptance's", () => {
  test('in the mail, a retry and the history, whatever changes before the claim', async () => {
    expect(await previews()).toStrictEqual(ACCEPTED);
    const run = await send();
    await changeAll();
    expect(await histories(run)).toStrictEqual(ACCEPTED);
    expect(await sent({ isBlocked: true })).toStrictEqual([]);
    expect((await client.post(`/send_log/${run}/retry`, {})).body).toMatchObject({ accepted: 3 });
    expect(await sent()).toStrictEqual(ACCEPTED);
    expect(await histories(run)).toStrictEqual(ACCEPTED);
  });

  test('are stored for the keys that the checked parts name, with a text for each, and only for queued mails', async () => {
    await database.db
      .updateTable('prospect')
      .set({ company_email: null })
      .where('id', '=', ids[1] ?? 0)
      .execute();
    await setTemplate({ text_body: '。{{ custom.rank }}', html_body: '<p>{{ person.title }}</p>' });
    const run = await send();
    const person = { name: '', department: '', title: '' };
    expect(await mailsOf(run)).toMatchObject([
      { state: 'queued', merge_values: { custom: { event: '東京 産業展', rank: 'A' }, person } },
      { state: 'cancelled', merge_values: null },
      { state: 'queued', merge_values: { custom: { event: '', rank: '' }, person } },
    ]);
  });

  test('are not stored where the template names none', async () => {
    await database.db.updateTable('sender').set({ subject: '件名' }).execute();
    await setTemplate({ text_body: '。{{ company_name }}', html_body: '<p>{{ person_in_charge }}</p>' });
    expect((await mailsOf(await send())).map(({ merge_values }) => merge_values)).toStrictEqual([null, null, null]);
  });

  test('are in the subject that a follow-up answers', async () => {
    const first = await send();
    await sent();
    await setBack(database, 10);
    await sql`UPDATE prospect_own SET vals = '{}'`.execute(database.db);
    const follow = { ...order(ids.slice(0, 1)), follow_up_of: first, days_from_lastday: 7 };
    const preview = await client.post(`/mail/preview/${tenant.senderId}`, follow);
    const answered = 'Re: 東京 産業展のご案内';
    expect(read((preview.body as { mail: Shown }).mail)[0]).toBe(answered);
    const run = await send(follow);
    expect((await sent()).map(([subject]) => subject)).toStrictEqual([answered]);
    expect((await histories(run)).map(([subject]) => subject)).toStrictEqual([answered]);
  });

  test('of a test mail are those of its company', async () => {
    const attack_list = ids.map((prospect_id) => ({ prospect_id, company_email: 'test+[n]@example.com' }));
    await send({ test_send_mode: 1, attack_list });
    expect((await sent()).map((mail) => mail.slice(1))).toStrictEqual(ACCEPTED.map((mail) => mail.slice(1)));
  });
});

test.each([
  ['unknown', '{{ custom.rnk }}', '「custom.rnk」という差し込み項目はありません'],
  ['archived', '{{ custom.old }}', '「custom.old」は、いまは使っていない項目です'],
])('a template that names an %s field is not sent, and its preview says where', async (_, named, reason) => {
  await setTemplate({ text_body: `本文\n${named}`, html_body: '<p>本文</p>' });
  const refused = {
    status: 400,
    body: { code: 'invalid_template', message: expect.stringContaining(`2行目：${reason}`) },
  };
  expect(await sendOf()).toMatchObject(refused);
  expect(await client.post(`/mail/preview/${tenant.senderId}`, order())).toMatchObject(refused);
  expect(await database.db.selectFrom('delivery').select('id').execute()).toStrictEqual([]);
});

describe('a run to the 主担当 where there is one', () => {
  const PUBLISHED = 'このメールは、貴社が公開されているメールアドレスにお送りしています。';
  const toPersons = () => ({ ...order(), send_to: 'primary_or_company' });
  const SATO = { name: '佐藤 一郎', department: '購買部', title: '部長' };

  beforeEach(async () => {
    const body = '{{ person.department }}|{{ person.title }}|{{ person.name }}|{{ person_in_charge }}';
    await setTemplate({ text_body: `。${body}`, html_body: `<p>${body}</p>` });
    await addPrimary(database.db, tenant, ids[0] ?? 0, { ...SATO, email: 'a0.sato@a.example' });
    await addPrimary(database.db, tenant, ids[1] ?? 0, { name: '鈴木', email: 'a1.suzuki@a.example' });
  });

  const line = (person: string) => [`。${person}`, person];
  const SHOWN = ['購買部|部長|佐藤 一郎|購買部 部長 佐藤 一郎 様', '||鈴木|鈴木 様', '|||ご担当者様'].map(line);

  test("shows the person's values in previews, mails and the history, and says of companies alone whose address is published", async () => {
    const run = await send(toPersons());
    expect((await histories(run)).map((mail) => mail.slice(1))).toStrictEqual(SHOWN);
    expect((await mailsOf(run))[0]?.merge_values).toMatchObject({ person: SATO });
    const texts: string[] = [];
    for (const { id } of await mailsOf(run)) {
      texts.push(((await client.get(`/delivery/${id}`)).body as { mail: { text: string } }).mail.text);
    }
    expect(texts.map((text) => text.includes(PUBLISHED))).toStrictEqual([false, false, true]);
    const sink = await testSink();
    const worker = testWorker(database, sink);
    await untilSettled(database.db);
    await worker.stop();
    const mails = await Promise.all(sink.mails.map(({ source }) => PostalMime.parse(source)));
    const byAddress = new Map(mails.map((mail) => [mail.to?.[0]?.address, mail]));
    const inOrder = ['a0.sato@a.example', 'a1.suzuki@a.example', 'a2@a.example'].map((to) => byAddress.get(to));
    expect(inOrder.map((mail) => read(mail).slice(1))).toStrictEqual(SHOWN);
    expect(inOrder.map((mail) => mail?.text?.includes(PUBLISHED))).toStrictEqual([false, false, true]);
    expect(inOrder.map((mail) => mail?.html?.includes(PUBLISHED))).toStrictEqual([false, false, true]);
  });

  test('takes the values of another 主担当 at the claim, and keeps those of the company', async () => {
    const run = await send(toPersons());
    await addPrimary(database.db, tenant, ids[0] ?? 0, {
      name: '高橋',
      title: '課長',
      email: 'a0.takahashi@a.example',
    });
    await changeAll();
    const mail = ['東京 産業展のご案内', ...line('|課長|高橋|課長 高橋 様')];
    expect((await sent())[0]).toStrictEqual(mail);
    expect((await mailsOf(run))[0]).toMatchObject({
      state: 'sent',
      mail_to: 'a0.takahashi@a.example',
      merge_values: { custom: { event: '東京 産業展' }, person: { name: '高橋', department: '', title: '課長' } },
    });
    expect((await histories(run))[0]).toStrictEqual(mail);
  });

  test('counts people without the day of their card apart from companies without a source, and looks at companies alone for L13', async () => {
    await database.db
      .updateTable('prospect')
      .set({ company_email: 'taro.yamada@a.example' })
      .where('id', '=', ids[2] ?? 0)
      .execute();
    await database.db
      .updateTable('prospect')
      .set({ company_email: 'hanako.sato@a.example' })
      .where('id', '=', ids[1] ?? 0)
      .execute();
    const check = async (body: object) => (await client.post(`/mail/check/${tenant.senderId}`, body)).body as object;
    const personal = (count: number) => [{ code: 'L13', message: `個人宛てと思われるアドレスが${count}件あります。` }];
    expect(await check(toPersons())).toMatchObject({ without_source: 1, without_met_on: 2, legal_faults: personal(1) });
    await database.db.updateTable('person').set({ met_on: '2026-10-01' }).where('name', '=', '鈴木').execute();
    expect(await check(toPersons())).toMatchObject({ without_source: 1, without_met_on: 1 });
    const toCompanies = await check(order());
    expect(toCompanies).toMatchObject({ without_source: 3, legal_faults: personal(2) });
    expect(toCompanies).not.toHaveProperty('without_met_on');
    const preview = (await client.post(`/mail/preview/${tenant.senderId}`, toPersons())).body as { mail: Shown };
    expect(preview).toMatchObject({ without_source: 1, without_met_on: 1 });
    expect(read(preview.mail).slice(1)).toStrictEqual(SHOWN[0]);
  });
});

describe('by SendGrid, whose templates cannot be read,', () => {
  const CUSTOM = { rank: 'A', event: '東京 産業展', day: '2026年10月5日', booths: '1,234.5', vip: 'いいえ' };
  const BLANK = { rank: '', event: '', day: '', booths: '', vip: '' };

  beforeEach(async () => {
    await giveSendGridTemplates(database.db);
    client = await clientOf({ ...database, transport: sendGridTemplates }, tenant.accountId);
  });

  test('all own values of the account are stored, sent, and shown where there are any', async () => {
    const run = await send();
    await changeAll();
    const stored = (await mailsOf(run)).map(({ merge_values }) => merge_values);
    expect(stored).toMatchObject([CUSTOM, { ...BLANK, event: '<b>大阪展</b>' }, BLANK].map((custom) => ({ custom })));
    const fake = await testSendGrid();
    workerBy(database, sendGridTransport(fake));
    await untilSettled(database.db);
    const data = fake.mails.map((mail) => (mail as unknown as { dynamic_template_data: object }).dynamic_template_data);
    // The mails of a run arrive in any order.
    expect(data).toHaveLength(stored.length);
    expect(data).toEqual(expect.arrayContaining(stored.map((values) => expect.objectContaining(values))));
    const [first, , last] = await mailsOf(run);
    const textOf = async (id = 0) =>
      ((await client.get(`/delivery/${id}`)).body as { mail: { text: string } }).mail.text;
    expect(await textOf(first?.id)).toContain('custom.day: 2026年10月5日\n');
    expect(await textOf(last?.id)).not.toContain('custom.');
  });

  test('an account without own fields stores the person alone, and its preview names none', async () => {
    await sql`DELETE FROM prospect_own`.execute(database.db);
    await sql`DELETE FROM label`.execute(database.db);
    await sql`DELETE FROM custom_field`.execute(database.db);
    await database.db.updateTable('sender').set({ subject: '件名' }).execute();
    const run = await send();
    const person = { name: '', department: '', title: '' };
    expect((await mailsOf(run)).map(({ merge_values }) => merge_values)).toStrictEqual(ids.map(() => ({ person })));
  });
});
