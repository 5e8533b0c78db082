import { beforeEach, expect, test } from 'vitest';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import { TEMPLATE_VERSIONS } from '#domain/limits.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let path: string;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  const { template_id } = await database.db.selectFrom('sender').select('template_id').executeTakeFirstOrThrow();
  path = `/mail_template/${template_id}`;
});

const read = async () => (await client.get(path)).body as MailTemplate;
const save = async (info: object, version?: string) =>
  client.put(path, {
    version: version ?? (await read()).version,
    update_info: { name: 'ひな形', text_body: '本文', html_body: '<p>本文</p>', senders: [], ...info },
  });
const restore = async (number: number, version?: string) =>
  client.post(`${path}/version/${number}/restore`, { version: version ?? (await read()).version });
const listed = async () => (await client.get(`${path}/version/list`)).body as { number: number; subject: string }[];

test('each save is a version with its author; a change of folder or of a sender alone is none', async () => {
  await save({ subject: '二番目', editor: 'rich', text_follows: 1 });
  await save({ subject: '二番目', senders: [{ id: tenant.senderId, subject: '送信者の件名' }] });
  expect(await save({ subject: '二番目' })).toMatchObject({ body: { number: 2 } });
  expect(await listed()).toMatchObject([
    { number: 2, subject: '二番目', member: '利用者' },
    { number: 1, subject: 'ひな形の件名', member: null },
  ]);
  expect((await client.get(`${path}/version/2`)).body).toMatchObject({ editor: 'rich', text_follows: 1 });
  expect((await client.get(`${path}/version/3`)).status).toBe(404);
});

test('a content that was set by SQL is a version too', async () => {
  await database.db.updateTable('mail_template').set({ text_body: 'SQLで変更' }).execute();
  await save({ text_body: '画面で変更' });
  expect((await client.get(`${path}/version/2`)).body).toMatchObject({ text_body: 'SQLで変更' });
});

test('a version is restored as the newest one, and the subjects of senders stay', async () => {
  await save({ text_body: '新しい本文', senders: [{ id: tenant.senderId, subject: '送信者の件名' }] });
  expect(await restore(1)).toMatchObject({ status: 200, body: { status: 'updated', number: 3 } });
  expect(await read()).toMatchObject({ text_body: '本文', senders: [{ own_subject: '送信者の件名' }] });
  expect(await listed()).toHaveLength(3);
  const { detail } = await database.db
    .selectFrom('audit_event')
    .select('detail')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  expect(detail).toMatchObject({ restored_version: 1 });
});

test('bad-inputs 244: the second of two saves gets 409 with who saved when; a restore is refused likewise', async () => {
  const { version } = await read();
  await save({ text_body: '一人目' }, version);
  for (const late of [await save({ text_body: '二人目' }, version), await restore(1, version)]) {
    expect(late).toMatchObject({ status: 409, body: { code: 'template_changed' } });
    expect((late.body as { message: string }).message).toMatch(
      /^このテンプレートは、利用者さんが\d+\/\d+（.）\d+:\d\dに変更しました。/,
    );
  }
  expect((await read()).text_body).toBe('一人目');
  expect(await listed()).toHaveLength(2);
});

test('a version that breaks a rule of today is not restored', async () => {
  await database.db.updateTable('mail_template').set({ text_body: '{% assign a = 1 %}本文' }).execute();
  await save({ text_body: '直した本文' });
  expect(await restore(2)).toMatchObject({ status: 400, body: { code: 'invalid_template' } });
});

test('the newest are kept, and their numbers go on', async () => {
  for (let n = 1; n <= TEMPLATE_VERSIONS + 2; n += 1) {
    await database.db
      .updateTable('mail_template')
      .set({ subject: `件名${n}` })
      .execute();
  }
  const numbers = (await listed()).map(({ number }) => number);
  expect(numbers).toHaveLength(TEMPLATE_VERSIONS);
  expect([numbers[0], numbers.at(-1)]).toStrictEqual([TEMPLATE_VERSIONS + 3, 4]);
});

test.each([
  ['an image of 5 MB', 5_000_000, { status: 413 }],
  [
    'an image of 100 kB',
    100_000,
    { status: 400, body: { details: [{ path: 'update_info.html_body', message: '100000文字以下にしてください' }] } },
  ],
])('bad-inputs 245: HTML with %s inside is refused, and what was stored stays', async (_, bytes, refused) => {
  const html_body = `<p><img src="data:image/png;base64,${'A'.repeat(bytes)}"></p>`;
  expect(await save({ html_body })).toMatchObject(refused);
  expect(await read()).toMatchObject({ html_body: '<p>本文</p>', number: 1 });
});
