import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CallAnswer } from '#contract/call.ts';
import type { previewMail } from '#contract/sending/mail-preview.ts';
import { failureCause } from '#domain/sending/failure-cause.ts';
import { sendByBox } from '#test/box-sinks.ts';
import { clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { testSendGrid } from '#test/sendgrid.ts';
import { acceptRun, testSink, testWorker, untilSettled } from '#test/sending.ts';
import { MAIL_FROM } from '#test/system-mail.ts';
import { sendGridTransport } from '../transports/sendgrid/sendgrid-transport.ts';
import { smtpTransport } from '../transports/smtp/smtp-transport.ts';
import { readMaxMailBytes, recordMaxMailBytes } from './max-mail-bytes.ts';

let database: TestDatabase;
let tenant: Tenant;
const log = pino({ level: 'silent' });

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
});

const stored = () => database.db.selectFrom('transport').select(['max_mail_bytes', 'max_mail_bytes_of']).execute();
const ofRelay = () => database.db.transaction().execute((tx) => readMaxMailBytes(tx, null));
const toSink = (port: number, host = '127.0.0.1') =>
  smtpTransport({ host, port, secure: false, requireTls: false, credentials: null });
const MAIL = { to: 'a@example.com', subject: 'x', text: 'x', html: '', reader: 'anybody' as const };

describe('the largest mail that the server accepts', () => {
  test('is stored by the web process too, as soon as a mail of the program itself meets the server', async () => {
    const sink = await testSink();
    sink.extensions = ['SIZE 35651584'];
    const transport = toSink(sink.port);
    const written = recordMaxMailBytes({ db: database.api, transport, log });
    await written();
    expect(await ofRelay()).toBeNull();
    await transport.systemMailer({ from: async () => MAIL_FROM, log })(MAIL);
    await written();
    expect(await stored()).toStrictEqual([{ max_mail_bytes: 35_651_584, max_mail_bytes_of: '127.0.0.1' }]);
    expect(await ofRelay()).toBe(35_651_584);
  });

  test('of a server that names none is no limit', async () => {
    const sink = await testSink();
    sink.extensions = [];
    const transport = toSink(sink.port);
    const written = recordMaxMailBytes({ db: database.service.db, transport, log });
    await transport.systemMailer({ from: async () => MAIL_FROM, log })(MAIL);
    await written();
    expect(await stored()).toMatchObject([{ max_mail_bytes: 0 }]);
    expect(await ofRelay()).toBeNull();
  });

  test('outlives a restart, and is forgotten when another server is set', async () => {
    await database.db.updateTable('transport').set({ max_mail_bytes: 1000, max_mail_bytes_of: '127.0.0.1' }).execute();
    await recordMaxMailBytes({ db: database.service.db, transport: toSink(1), log })();
    expect(await stored()).toMatchObject([{ max_mail_bytes: 1000 }]);
    await recordMaxMailBytes({ db: database.service.db, transport: toSink(1, 'other.example.jp'), log })();
    expect(await stored()).toStrictEqual([{ max_mail_bytes: null, max_mail_bytes_of: 'other.example.jp' }]);
  });

  test('is none for SendGrid, which composes its mails itself', async () => {
    await database.db.updateTable('transport').set({ max_mail_bytes: 1000, max_mail_bytes_of: '127.0.0.1' }).execute();
    const transport = sendGridTransport(await testSendGrid());
    await recordMaxMailBytes({ db: database.service.db, transport, log })();
    expect(await stored()).toStrictEqual([{ max_mail_bytes: 0, max_mail_bytes_of: 'SendGrid' }]);
  });
});

describe('a preview warns of a mail above it before the run, and names both sizes', () => {
  type Warnings = readonly { readonly kind: string }[] | undefined;
  const tooLarge = (warnings: Warnings) => warnings?.filter(({ kind }) => kind === 'too_large');
  const above = [{ kind: 'too_large', text: expect.stringMatching(/^\d{4}\/1000$/) }];

  /** Returns the warnings of the previews of an order and of its template. */
  async function warnings() {
    const [id = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'a@a.example' }]);
    const client = await clientOf(database, tenant.accountId);
    const order = { test_send_mode: 0, attack_list: [{ prospect_id: id }] };
    const { body } = await client.post(`/mail/preview/${tenant.senderId}`, order);
    const { template_id } = await database.db
      .selectFrom('sender')
      .select('template_id')
      .where('id', '=', tenant.senderId)
      .executeTakeFirstOrThrow();
    const texts = { subject: 'x', text_body: '本文', html_body: '<p>本文</p>', has_candidate_dates: 0 };
    const of = { sender_id: tenant.senderId, company_name: '株式会社花', person_in_charge: '' };
    const unsaved = await client.post(`/mail_template/${template_id}/preview`, { ...texts, ...of });
    return [
      tooLarge((body as CallAnswer<typeof previewMail>).mail?.warnings),
      tooLarge((unsaved.body as { warnings?: Warnings }).warnings),
    ];
  }

  test('of the mail server of the environment', async () => {
    expect(await warnings()).toStrictEqual([[], []]);
    await database.db.updateTable('transport').set({ max_mail_bytes: 1000 }).execute();
    expect(await warnings()).toStrictEqual([above, above]);
    await database.db.updateTable('transport').set({ max_mail_bytes: 1_000_000 }).execute();
    expect(await warnings()).toStrictEqual([[], []]);
  });

  test('of the mailbox by which its mails leave', async () => {
    await sendByBox(database, tenant, 'mail.own.example');
    await database.db.updateTable('transport').set({ max_mail_bytes: 1000 }).execute();
    expect(await warnings()).toStrictEqual([[], []]);
    await database.db.updateTable('mailbox_state').set({ max_mail_bytes: 1000 }).execute();
    expect(await warnings()).toStrictEqual([above, above]);
  });
});

test('a mail of a run above it fails, with the cause and a reason in Japanese', async () => {
  const sink = await testSink();
  sink.extensions = ['SIZE 1000'];
  await acceptRun(database, tenant, 1);
  testWorker(database, sink);
  await untilSettled(database.db);
  const [row] = await database.db
    .selectFrom('delivery')
    .select(['state', 'smtp_reply', 'mail_to', 'attempts'])
    .execute();
  expect(row).toMatchObject({
    state: 'failed',
    smtp_reply: expect.stringMatching(
      /^メールが大きすぎるため、送信しませんでした（メールは[\d.]+ KB、メールサーバーが受け取れるのは1,000 Bまで）。本文を短くするか/,
    ),
  });
  const { smtp_reply: reply = null, mail_to: address = null } = row ?? {};
  expect(failureCause({ state: 'failed', reply, address })).toBe('too_large');
  expect(sink.mails).toStrictEqual([]);
});
