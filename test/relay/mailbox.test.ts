import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import PostalMime, { type Email } from 'postal-mime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { selfSigned } from '../certificate.ts';
import { createTestDatabase, type TestDatabase } from '../db.ts';
import { serveZone } from '../dns-zone.ts';
import { openPage } from '../e2e/browser.ts';
import { type RunningKaitaku, startFresh } from '../e2e/fresh-start.ts';
import { launchBrowser } from '../e2e/launch.ts';
import { FIRST_COMPANY, firstDay, OWNER } from '../e2e/walk-first-day.ts';
import { closeToasts, field, press } from '../e2e/walk-steps.ts';
import { eventually } from '../sending.ts';
import { type SmtpSink, startSmtpSink } from '../smtp-sink.ts';
import { type Dovecot, startDovecot } from './dovecot.ts';
import { type Postfix, startPostfix } from './postfix.ts';

/**
 * Connects a mailbox of Debian's Postfix and Dovecot by the screens alone, as a new owner does: the first real mail
 * leaves by it, and its answers are found in it. Needs root, for port 993.
 */

const HOST = 'mail.hana.example.jp';
const [SMTP_PORT, DOMAIN] = [2525, 'hana.example.jp'];

let folder: string;
let database: TestDatabase;
/** The servers of all companies. */
let farSide: SmtpSink;
let dovecot: Dovecot;
let postfix: Postfix;
let kaitaku: RunningKaitaku;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const certificate = selfSigned({ host: HOST });
  folder = await mkdtemp(join(tmpdir(), 'kaitaku-mailbox-'));
  const authority = join(folder, 'authority.pem');
  await writeFile(authority, certificate.cert);
  database = await createTestDatabase();
  farSide = await startSmtpSink();
  dovecot = await startDovecot({ certificate });
  postfix = await startPostfix({
    domains: [DOMAIN],
    relayPort: farSide.port,
    maildir: dovecot.maildir,
    submission: { port: SMTP_PORT, certificate, authSocket: dovecot.authSocket },
  });
  const zone = await serveZone({ [`A ${HOST}`]: ['127.0.0.1'] });
  kaitaku = await startFresh({
    DATABASE_URL: database.url,
    SECRET_KEY: randomBytes(32).toString('base64'),
    DNS_SERVERS: zone.server,
    MAIL_HOSTS_ALLOWED: HOST,
    NODE_EXTRA_CA_CERTS: authority,
  });
  browser = await launchBrowser();
  ({ page } = await openPage(browser));
});

afterAll(async () => {
  await browser?.close();
  await kaitaku?.stop();
  postfix?.stop();
  await dovecot?.stop();
  await farSide?.close();
  await database?.drop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

async function connectMailbox(): Promise<void> {
  const bar = page.getByRole('region', { name: 'はじめかた' });
  await bar.getByRole('link', { name: '次：メールボックスをつなぐ' }).click();
  await press(page, 'メールボックスを追加');
  await field(page, 'SMTPサーバー（必須）').fill(HOST);
  await field(page, 'ポート').selectOption('2525（STARTTLS）');
  await field(page, 'パスワード（必須）').fill('not this one');
  await page.getByLabel('返信を読む').check();
  await press(page, '接続を確かめる');
  await page
    .getByText(/^ユーザー名かパスワードが違います。.*535/)
    .first()
    .waitFor();
  await field(page, 'パスワード（必須）').fill(dovecot.password);
  await press(page, '接続を確かめる');
  await page.getByText('つながりました', { exact: true }).waitFor();
  await press(page, '完了');
  await page.getByText('接続済み').waitFor();
  await closeToasts(page);
}

/** Returns the mails that reached companies. */
const arrived = (): Promise<Email[]> => Promise.all(farSide.mails.map(({ source }) => PostalMime.parse(source)));

test('a new owner connects it by the screens, and the first real mail leaves by it', async () => {
  const setupLink = `${kaitaku.url}/setup/${/\/setup\/([\w-]{43})/.exec(kaitaku.program.output())?.[1] ?? ''}`;
  const mailedLink = () => Promise.reject(new Error('no mail confirms the sender'));
  for await (const _step of firstDay(page, { setupLink, mailedLink, connectMailbox }));
  const mails = await eventually(arrived, ({ length }) => length > 0, 30_000);
  expect(mails.map(({ from, to }) => [from?.address, to?.[0]?.address])).toStrictEqual([
    [OWNER.email, FIRST_COMPANY.email],
  ]);
  expect(farSide.mails.map(({ from }) => from)).toStrictEqual([OWNER.email]);
  expect(postfix.log()).toMatch(/sasl_username=hana@hana\.example\.jp/);
});

test('an answer in it is found, and shown', async () => {
  const [mail] = await arrived();
  dovecot.deliver(
    Buffer.from(
      [
        `From: ${FIRST_COMPANY.email}`,
        `To: ${OWNER.email}`,
        `Subject: Re: ${mail?.subject ?? ''}`,
        `In-Reply-To: ${mail?.messageId ?? ''}`,
        'Message-ID: <answer@minato.example.jp>',
        `Date: ${new Date().toUTCString()}`,
        'Content-Type: text/plain; charset=utf-8',
        '',
        'ぜひ一度お話を聞かせてください。',
      ].join('\r\n'),
    ),
  );
  // Nobody's mail but that: it leaves no trace.
  dovecot.deliver(Buffer.from('From: wife@home.example\r\nSubject: dinner\r\n\r\nsecret of the family\r\n'));
  const replies = () => database.db.selectFrom('reply').select(['from_address', 'excerpt']).execute();
  expect(await eventually(replies, ({ length }) => length > 0, 60_000)).toStrictEqual([
    { from_address: FIRST_COMPANY.email, excerpt: 'ぜひ一度お話を聞かせてください。' },
  ]);
  const { id } = await database.db.selectFrom('prospect').select('id').executeTakeFirstOrThrow();
  await page.goto(`${kaitaku.url}/prospects/${id}`);
  await page.getByText('ぜひ一度お話を聞かせてください。').first().waitFor();
  // No client marks what nobody has read.
  expect(dovecot.unseen().length).toBeGreaterThan(0);
});
