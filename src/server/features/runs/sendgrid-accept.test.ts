import { beforeEach, expect, test } from 'vitest';
import { EXAMPLE_MAIL_KEY } from '#domain/law/refusal-place.ts';
import { clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { mailingBy } from '#test/mailing.ts';
import { giveSendGridTemplates, TEMPLATE_ID } from '#test/mails.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { sendGridTemplates } from '../delivery/transports/sendgrid/sendgrid-transport.ts';
import { startReservation } from '../reservations/due.command.ts';

const HOUR_MS = 60 * 60 * 1000;

let database: TestDatabase;
let tenant: Tenant;
let client: Awaited<ReturnType<typeof clientOf>>;
let attack_list: { prospect_id: number }[];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf({ ...database, transport: sendGridTemplates }, tenant.accountId);
  const ids = await addProspects(database.db, tenant.accountId, [
    { company_name: '株式会社あ', company_email: 'a@a.example', ceo: '山田 太郎' },
  ]);
  attack_list = ids.map((prospect_id) => ({ prospect_id }));
});

const send = () => client.post(`/mail/send/${tenant.senderId}`, { test_send_mode: 0, attack_list });
const preview = () => client.post(`/mail/preview/${tenant.senderId}`, { test_send_mode: 0, attack_list });

/** In an hour, on the hour. */
function reserve() {
  const send_at = new Date(Math.floor((Date.now() + HOUR_MS) / HOUR_MS) * HOUR_MS).toISOString();
  const row = { datetime_list: null, attack_list, active: 1 };
  const add_info = { sender_id: tenant.senderId, send_at, test_send_mode: 0, ...row };
  return client.post('/reservation', { add_info, duplicate_key_update_info: row });
}

test('a sender whose template has no SendGrid id is refused for sends, previews and reservations', async () => {
  for (const ask of [send, preview, reserve]) {
    expect(await ask()).toMatchObject({
      status: 400,
      body: { code: 'no_sendgrid_template', message: expect.stringContaining('SendGridのテンプレートID') },
    });
  }
  expect(await database.db.selectFrom('send_log').select('id').execute()).toStrictEqual([]);
  expect(await database.db.selectFrom('reservation').select('id').execute()).toStrictEqual([]);
});

test('a reservation whose template has lost its SendGrid id waits, and starts when it has one again', async () => {
  await giveSendGridTemplates(database.db);
  const { id } = (await reserve()).body as { id: number };
  await database.db.updateTable('mail_template').set({ sendgrid_template_id: null }).execute();
  await database.db.updateTable('reservation').set({ send_at: new Date() }).execute();
  const start = () =>
    startReservation(
      database.service.db,
      { accountId: tenant.accountId, id },
      Date.now(),
      mailingBy(sendGridTemplates),
    );
  expect(await start()).toMatchObject({ code: 'no_sendgrid_template' });
  await giveSendGridTemplates(database.db);
  expect(await start()).toMatchObject({ sendLogId: expect.any(Number) });
});

test('the preview and the history show the SendGrid template and the values that fill it', async () => {
  await giveSendGridTemplates(database.db);
  const shown = (await preview()).body as { mail: { subject: string; text: string; html: string; warnings: object[] } };
  expect(shown.mail).toMatchObject({ subject: '件名', warnings: [] });
  for (const text of [shown.mail.text, shown.mail.html]) {
    expect(text).toContain(TEMPLATE_ID);
    expect(text).toMatch(/company_name: 株式会社あ[\s\S]*person_in_charge: 山田 太郎 様/);
    expect(text).not.toMatch(/本文<|candidate_dates/);
  }
  await send();
  const deliveries = database.db.selectFrom('delivery').select(['id', 'mail_key']);
  const { id, mail_key } = await deliveries.executeTakeFirstOrThrow();
  // A preview has the link of an example, a mail its own.
  const text = shown.mail.text.replace(EXAMPLE_MAIL_KEY, mail_key?.replaceAll('-', '') ?? '');
  expect((await client.get(`/delivery/${id}`)).body).toMatchObject({ mail: { text } });
});

test('the list of senders has the SendGrid id, for the link to the editor', async () => {
  const list = async () => (await client.get('/sender/list?columns[]=sendgrid_template_id')).body;
  expect(await list()).toStrictEqual([{ sendgrid_template_id: null }]);
  await giveSendGridTemplates(database.db);
  expect(await list()).toStrictEqual([{ sendgrid_template_id: TEMPLATE_ID }]);
});
