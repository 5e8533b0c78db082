import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { giveSendGridTemplates } from '#test/mails.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { testSendGrid } from '#test/sendgrid.ts';
import { testSink, testWorker, untilSettled, workerBy } from '#test/sending.ts';
import { setBack } from '#test/sent-run.ts';
import { sendGridTemplates, sendGridTransport } from '../delivery/transports/sendgrid/sendgrid-transport.ts';
import { startReservation } from '../reservations/due.command.ts';

const HOUR_MS = 60 * 60 * 1000;
const WRITTEN = ['㈱あ', 'い(有)', '㍿う㍿', '㈱', 'え(株)東京支店'];
const IN_MAILS = ['株式会社あ', 'い有限会社', '株式会社う株式会社', '株式会社', 'え(株)東京支店'];

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: number[];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  ids = await addProspects(
    database.db,
    tenant.accountId,
    WRITTEN.map((company_name, at) => ({ company_name, company_email: `a${at}@a.example`, ceo: '山田' })),
  );
  const html_body = '<p>{{ company_name }}</p>';
  await database.db.updateTable('mail_template').set({ text_body: '{{ company_name }}', html_body }).execute();
  await database.db.updateTable('sender').set({ subject: '{{ company_name }}様へ' }).execute();
});

const order = (prospects: readonly number[] = ids) => ({
  test_send_mode: 0,
  attack_list: prospects.map((prospect_id) => ({ prospect_id })),
});
const send = async (body: object = order()) => {
  const answer = await client.post(`/mail/send/${tenant.senderId}`, body);
  return (answer.body as { send_log_id: number }).send_log_id;
};
const historyOf = (run: number) =>
  database.db.selectFrom('delivery').selectAll().where('send_log_id', '=', run).orderBy('row_index').execute();

/** Names, subjects and bodies of mails, without what the law adds. */
interface Shown {
  readonly subject?: string | undefined;
  readonly text?: string | undefined;
  readonly html?: string | undefined;
}
const read = (mail: Shown | undefined) => [
  mail?.subject,
  mail?.text?.split('\n')[0],
  /^<p>(.*?)<\/p>/.exec(mail?.html ?? '')?.[1],
];
const mailWith = (name: string) => [`${name}様へ`, name, name];

async function previews(): Promise<{ company_name: string; mail: Shown }[]> {
  const shown: { company_name: string; mail: Shown }[] = [];
  for (const pagenate_num of ids.keys().map((at) => at + 1)) {
    const answer = await client.post(`/mail/preview/${tenant.senderId}`, { ...order(), pagenate_num });
    const { mail } = answer.body as { mail: Shown & { company_name: string } };
    shown.push({ company_name: mail.company_name, mail });
  }
  return shown;
}

async function histories(run: number): Promise<{ company_name: string; mail: Shown }[]> {
  const shown: { company_name: string; mail: Shown }[] = [];
  for (const { id } of await historyOf(run)) {
    shown.push((await client.get(`/delivery/${id}`)).body as { company_name: string; mail: Shown });
  }
  return shown;
}

/** Makes all runs so far runs of a version that wrote names as they are. */
const forgetMarks = () => sql`UPDATE send_log SET mail = mail - 'full_forms'`.execute(database.db);

/** Sends what waits by SMTP. @param isBlocked the server refuses each recipient @returns the mails by address */
async function sent({ isBlocked = false } = {}): Promise<Shown[]> {
  const sink = await testSink();
  sink.fault = (moment) => (isBlocked && moment === 'RCPT' ? '550 5.7.1 blocked' : null);
  const worker = testWorker(database, sink);
  await untilSettled(database.db);
  await worker.stop();
  const mails = await Promise.all(sink.mails.map(({ source }) => PostalMime.parse(source)));
  return mails.toSorted((a, b) => ((a.to?.[0]?.address ?? '') < (b.to?.[0]?.address ?? '') ? -1 : 1));
}

describe('legal forms of company names are written out', () => {
  test('in preview, mail and history alike, while lists keep what was written', async () => {
    const shown = await previews();
    expect(shown.map(({ mail }) => read(mail))).toStrictEqual(IN_MAILS.map(mailWith));
    expect(shown.map(({ company_name }) => company_name)).toStrictEqual(WRITTEN);
    const run = await send();
    expect((await sent()).map(read)).toStrictEqual(IN_MAILS.map(mailWith));
    const history = await histories(run);
    expect(history.map(({ mail }) => read(mail))).toStrictEqual(IN_MAILS.map(mailWith));
    expect(history.map(({ company_name }) => company_name)).toStrictEqual(WRITTEN);
    const listed = await database.db.selectFrom('prospect').select('company_name').orderBy('id').execute();
    expect(listed.map(({ company_name }) => company_name)).toStrictEqual(WRITTEN);
  });

  test('in the preview of an unsaved template, whose company is typed or of the list', async () => {
    const content = { subject: '{{ company_name }}', text_body: '{{ company_name }}', html_body: '<p></p>' };
    const template = await database.db.selectFrom('mail_template').select('id').executeTakeFirstOrThrow();
    const of = async (company: object) => {
      const body = { ...content, sender_id: tenant.senderId, has_candidate_dates: 0, ...company };
      return (await client.post(`/mail_template/${template.id}/preview`, body)).body;
    };
    expect(await of({ prospect_id: ids[0] })).toMatchObject({ subject: '株式会社あ' });
    expect(await of({ company_name: '（株）見本', person_in_charge: '' })).toMatchObject({ subject: '株式会社見本' });
  });

  test('in the mails of a reservation', async () => {
    const send_at = new Date(Math.floor(Date.now() / HOUR_MS + 1) * HOUR_MS).toISOString();
    const row = { datetime_list: null, attack_list: order().attack_list, active: 1 };
    const add_info = { sender_id: tenant.senderId, send_at, test_send_mode: 0, ...row };
    const { id } = (await client.post('/reservation', { add_info, duplicate_key_update_info: row })).body as {
      id: number;
    };
    await database.db.updateTable('reservation').set({ send_at: new Date() }).execute();
    await startReservation(database.service.db, { accountId: tenant.accountId, id }, Date.now(), TEST_MAILING);
    expect((await sent()).map(read)).toStrictEqual(IN_MAILS.map(mailWith));
  });

  test('in what SendGrid is given', async () => {
    await giveSendGridTemplates(database.db);
    client = await clientOf({ ...database, transport: sendGridTemplates }, tenant.accountId);
    const fake = await testSendGrid();
    const shown = await previews();
    const run = await send();
    workerBy(database, sendGridTransport(fake));
    await untilSettled(database.db);
    const data = fake.mails.map((mail) => (mail as unknown as { dynamic_template_data: object }).dynamic_template_data);
    expect(data).toMatchObject(IN_MAILS.map((company_name) => ({ subject: `${company_name}様へ`, company_name })));
    for (const { mail } of [...shown, ...(await histories(run))]) expect(mail.text).not.toMatch(/[㈱㍿㈲]/u);
  });
});

describe('a run of a version that wrote names as they are', () => {
  test('keeps its mails: those that wait, those that are retried, and in the history', async () => {
    const run = await send();
    await forgetMarks();
    const asWritten = WRITTEN.map(mailWith);
    expect(await sent({ isBlocked: true })).toStrictEqual([]);
    expect((await client.post(`/send_log/${run}/retry`, {})).body).toMatchObject({ accepted: WRITTEN.length });
    expect((await sent()).map(read)).toStrictEqual(asWritten);
    expect((await histories(run)).map(({ mail }) => read(mail))).toStrictEqual(asWritten);
  });

  test('gives a follow-up its subject as it was sent, above a letter of today', async () => {
    const first = await send();
    await forgetMarks();
    await sent();
    await setBack(database, 10);
    const follow = { ...order(ids.slice(0, 1)), follow_up_of: first, days_from_lastday: 7 };
    const preview = await client.post(`/mail/preview/${tenant.senderId}`, follow);
    expect(read((preview.body as { mail: Shown }).mail)).toStrictEqual(['Re: ㈱あ様へ', '株式会社あ', '株式会社あ']);
    const run = await send(follow);
    expect((await sent()).map(read)).toStrictEqual([['Re: ㈱あ様へ', '株式会社あ', '株式会社あ']]);
    expect((await histories(run)).map(({ mail }) => read(mail)[0])).toStrictEqual(['Re: ㈱あ様へ']);
  });
});
