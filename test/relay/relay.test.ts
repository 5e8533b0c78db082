import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { nextCandidate } from '#domain/candidate-dates.ts';
import { startDeliveryWorker } from '#server/features/delivery/delivery-worker.ts';
import { smtpTransport } from '#server/features/delivery/transports/smtp/smtp-transport.ts';
import { DEMO_GROUPS } from '#server/features/demo/demo-content.ts';
import { acceptSend } from '#server/features/runs/accept.command.ts';
import { addSenderGroup, starterGroup } from '#server/features/senders/sender-group.command.ts';
import { type TestDatabase, testDatabase } from '#test/db.ts';
import { addProspects, addTenant, LEGAL_PROFILE, type Tenant } from '#test/prospects.ts';
import { eventually, untilSettled } from '#test/sending.ts';
import { TEST_MAILING, withoutFooter } from '../mailing.ts';
import { type Postfix, startPostfix } from './postfix.ts';

/**
 * Sends real mail by a real relay, and checks it with independent programs.
 * Debian's Postfix, Python's email package, SpamAssassin.
 */

let postfix: Postfix;
let database: TestDatabase;
let tenant: Tenant;

beforeAll(async () => {
  postfix = await startPostfix();
});
afterAll(() => postfix.stop());

interface Company {
  readonly company_name: string;
  readonly ceo: string;
  readonly company_email: string;
}

/** Sends one sender's mail to the companies. @returns the files that Postfix put into the mailbox */
async function sendTo(senderId: number, companies: readonly Company[]): Promise<string[]> {
  const before = new Set(postfix.delivered());
  const ids = await addProspects(database.db, tenant.accountId, companies);
  const body = {
    test_send_mode: 0 as const,
    attack_list: ids.map((prospect_id) => ({ prospect_id })),
    datetime_list: [nextCandidate([], Date.now())],
    days_from_lastday: 7,
  };
  const request = { senderId, body, idempotencyKey: null, ...TEST_MAILING } as const;
  expect(await acceptSend(database.account(tenant.accountId), request, Date.now())).toMatchObject({
    accepted: companies.length,
  });
  expect(await untilSettled(database.db, 60_000), postfix.log()).toMatchObject({ sent: expect.any(Number) });
  const fresh = () => postfix.delivered().filter((file) => !before.has(file));
  return eventually(fresh, (files) => files.length >= companies.length, 30_000);
}

async function scene(): Promise<void> {
  database = await testDatabase();
  tenant = await addTenant(database.db);
  const address = { host: '127.0.0.1', port: postfix.port };
  const transport = smtpTransport({ ...address, secure: false, requireTls: false, credentials: null });
  const log = pino({ level: 'silent' });
  const worker = startDeliveryWorker({ db: database.service.db, now: Date.now, transport, connections: 5, log });
  onTestFinished(() => worker.stop());
}

const SUBJECT = `${'採用のご担当者様へ、①㈱髙﨑 𠮷野家 👨‍👩‍👧 のご提案 '.repeat(4)}完`;
const TEXT = [
  '{{ company_name }}',
  '{{ person_in_charge }}',
  '.',
  '..始まりの点',
  '長い行'.repeat(700),
  '',
  'ガ行（結合文字）ｶﾞｷﾞ',
  '~〜～―－',
  'From 行頭',
];
const HTML = '<p>{{ company_name }}</p>\n<p>.</p>\n<p style="color:#222">é=E9=\t=20</p>';

test('100 Japanese mails arrive at a mailbox as they were asked for', async () => {
  await scene();
  await database.db
    .updateTable('mail_template')
    .set({ text_body: TEXT.join('\n'), html_body: HTML })
    .execute();
  await database.db.updateTable('sender').set({ subject: SUBJECT, person_in_charge: '髙﨑 "花子", (営業)' }).execute();
  const companies = Array.from({ length: 100 }, (_, n) => ({
    company_name: `株式会社${'ー'.repeat(n % 30)}𠮷${n} & Söhne <co>`,
    ceo: `山田 ${n}郎`,
    company_email: `info+${n}@example${n % 3}.co.jp`,
  }));
  const files = await sendTo(tenant.senderId, companies);
  const output = execFileSync('python3', [join(import.meta.dirname, 'decode.py'), ...files], {
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  const read = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { to: [string]; date: string; text: string; html: string });

  const rows = await database.db.selectFrom('delivery').select(['mail_to', 'message_id', 'mail_date']).execute();
  const asked = companies.map(({ company_name, ceo, company_email }) => {
    const row = rows.find(({ mail_to }) => mail_to === company_email);
    const escaped = company_name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    return {
      subject: SUBJECT,
      fromName: '髙﨑 "花子", (営業)',
      from: 'sender@example.com',
      to: [company_email],
      messageId: row?.message_id,
      date: Math.floor((row?.mail_date.getTime() ?? 0) / 1000),
      envelopeTo: company_email,
      text: TEXT.join('\n').replace('{{ company_name }}', company_name).replace('{{ person_in_charge }}', `${ceo} 様`),
      html: HTML.replace('{{ company_name }}', escaped),
      defects: [],
    };
  });
  const byAddress = (a: { to: readonly string[] }, b: { to: readonly string[] }) =>
    a.to.join() < b.to.join() ? -1 : 1;
  const arrived = read.map(({ date, text, html, ...mail }) => ({
    ...mail,
    date: Date.parse(date) / 1000,
    // A part ends with the line break that ends the part.
    text: withoutFooter(text.replace(/\n+$/, '')),
    html: withoutFooter(html.replace(/\n$/, '')),
  }));
  expect(arrived.toSorted(byAddress)).toStrictEqual(asked.toSorted(byAddress));
});

/** Neither is a fault: the mail came from this machine, and it has an HTML part. Any other rule that matches is one. */
const ALLOWED = new Set(['ALL_TRUSTED', 'HTML_MESSAGE']);

const STARTER = starterGroup({
  name: '山田 花子',
  email: 'hanako@kaitaku-demo.example',
  company: '株式会社架空商事',
});
const LETTERS = [STARTER, ...DEMO_GROUPS].flatMap(({ senders }) => senders);

describe('SpamAssassin finds no fault in form or encoding with the default letter', () => {
  test.each(LETTERS.map((sender) => [sender.template.name, sender] as const))('%s', async (_name, sender) => {
    await scene();
    const { accountId } = tenant;
    await database.account(accountId).transaction((tx) =>
      addSenderGroup(tx, accountId, {
        group_name: 'SA',
        senders: [sender],
        legal: LEGAL_PROFILE,
        legalConfirmedAt: new Date(),
      }),
    );
    const { id } = await database.db
      .selectFrom('sender')
      .select('id')
      .where('account_id', '=', accountId)
      .where('email', '=', sender.email)
      .executeTakeFirstOrThrow();
    const company = { company_name: '株式会社架空製作所', ceo: '山田 太郎', company_email: 'info@example.co.jp' };
    const [file = ''] = await sendTo(id, [company]);
    const judged = execFileSync('spamassassin', ['-L', '-t'], { input: readFileSync(file), encoding: 'utf8' });
    const [, rules = ''] = /^X-Spam-Status: .*?\btests=(.*?)\s\w+=/ms.exec(judged) ?? [];
    expect(rules, judged).toContain('HTML_MESSAGE');
    expect(rules.match(/\w+/g)?.filter((rule) => !ALLOWED.has(rule))).toStrictEqual([]);
  });
});
