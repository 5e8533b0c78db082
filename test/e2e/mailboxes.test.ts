import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Certificate, selfSigned } from '#test/certificate.ts';
import { createTestDatabase, type TestDatabase } from '#test/db.ts';
import { type DnsZone, serveZone } from '#test/dns-zone.ts';
import { ImapServer } from '#test/imap-server.ts';
import { eventually } from '#test/sending.ts';
import { type SmtpSink, startSmtpSink } from '#test/smtp-sink.ts';
import { browserOfWorker, visit } from './browser.ts';
import { type RunningKaitaku, startFresh } from './fresh-start.ts';
import { FIRST_COMPANY, firstDay, OWNER } from './walk-first-day.ts';
import { closeToasts, field, getsFocus, press, tabTo } from './walk-steps.ts';

/** Tests that a new owner sends the first real mail by his own mailbox, without any setting of the server. */

const HOST = 'mail.hana.example.jp';
const LOGIN = { user: OWNER.email, pass: '合言葉 of the mailbox' };
/** Of the ports that mailboxes have, the one that any user may listen at. */
const SMTP_PORT = 2525;

let folder: string;
let database: TestDatabase;
let zone: DnsZone;
let sink: SmtpSink;
let imap: ImapServer;
let certificate: Certificate;
let kaitaku: RunningKaitaku;
let servers: Server[];
let page: Page;
let leave: (expected?: RegExp) => Promise<void>;

/** Listens at a port of mailboxes in front of a server of the test. */
async function inFront(server: Server, port: number): Promise<Server> {
  const isOpen = () =>
    new Promise<boolean>((done) => {
      server.once('error', () => done(false)).listen(port, '127.0.0.1', () => done(true));
    });
  // The same test of another clone may run beside this one.
  await eventually(isOpen, Boolean);
  return server;
}

const pass = (to: number) => (socket: Socket) => {
  const inner = connect(to, '127.0.0.1');
  socket.on('error', () => inner.destroy()).pipe(inner);
  inner.on('error', () => socket.destroy()).pipe(socket);
};

beforeAll(async () => {
  certificate = selfSigned({ host: HOST });
  folder = await mkdtemp(join(tmpdir(), 'kaitaku-mailbox-'));
  const authority = join(folder, 'authority.pem');
  await writeFile(authority, certificate.cert);
  [database, zone, sink] = await Promise.all([
    createTestDatabase(),
    serveZone({ [`A ${HOST}`]: ['127.0.0.1'] }),
    startSmtpSink(),
  ]);
  sink.tls = { ...certificate, from: 'STARTTLS' };
  sink.login = LOGIN;
  servers = [await inFront(createServer(pass(sink.port)), SMTP_PORT)];
  kaitaku = await startFresh({
    DATABASE_URL: database.url,
    SECRET_KEY: randomBytes(32).toString('base64'),
    DNS_SERVERS: zone.server,
    MAIL_HOSTS_ALLOWED: '127.0.0.0/8',
    NODE_EXTRA_CA_CERTS: authority,
  });
  ({ page, leave } = await visit(browserOfWorker(), `${kaitaku.url}/icon.svg`));
});

afterAll(async () => {
  await kaitaku?.stop();
  for (const server of servers ?? []) server.close();
  await sink?.close();
  await database?.drop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

const setupLink = () => `${kaitaku.url}/setup/${/\/setup\/([\w-]{43})/.exec(kaitaku.program.output())?.[1] ?? ''}`;

/** Connects the owner's mailbox by keyboard only: with a wrong password first. */
async function connectMailbox(): Promise<void> {
  const { keyboard } = page;
  const bar = page.getByRole('region', { name: 'はじめかた' });
  await tabTo(bar.getByRole('link', { name: '次：メールボックスをつなぐ' }));
  await keyboard.press('Enter');
  await page.getByText('メールボックスはまだありません').waitFor();
  await tabTo(page.getByRole('button', { name: 'メールボックスを追加' }));
  await keyboard.press('Enter');
  await getsFocus(field(page, 'メールアドレス（必須）'));
  expect(await field(page, 'メールアドレス（必須）').inputValue()).toBe(OWNER.email);
  await tabTo(field(page, 'SMTPサーバー（必須）'));
  await keyboard.insertText(HOST);
  await tabTo(field(page, 'ポート'));
  // The last one: 2525.
  await keyboard.press('End');
  await tabTo(field(page, 'パスワード（必須）'));
  await keyboard.insertText('wrong');
  await keyboard.press('Enter');
  await page
    .getByText(/^ユーザー名かパスワードが違います。/)
    .first()
    .waitFor();
  expect(await field(page, 'SMTPサーバー（必須）').inputValue()).toBe(HOST);
  await getsFocus(field(page, 'パスワード（必須）'));
  await keyboard.press('ControlOrMeta+a');
  await keyboard.insertText(LOGIN.pass);
  await keyboard.press('Enter');
  await page.getByText('つながりました', { exact: true }).waitFor();
  expect(await page.getByLabel(`この人の送信者に使う（${OWNER.name}）`).isChecked()).toBe(true);
  await getsFocus(page.getByRole('button', { name: '完了' }));
  await keyboard.press('Enter');
  await page.getByText('接続済み').waitFor();
  await closeToasts(page);
}

test('a new owner connects a mailbox, which confirms the sender, and the first real mail leaves by it', async () => {
  const mailedLink = () => Promise.reject(new Error('no mail confirms the sender'));
  for await (const _step of firstDay(page, { setupLink: setupLink(), mailedLink, connectMailbox }));
  expect(sink.mails.map(({ from, to }) => [from, ...to])).toStrictEqual([
    [OWNER.email, OWNER.email],
    [OWNER.email, FIRST_COMPANY.email],
  ]);
  expect(sink.mails.every(({ secure }) => secure)).toBe(true);
  // Nothing went to the catcher of the server.
  expect(await kaitaku.mails()).toStrictEqual([]);
  expect(await page.getByText(/^メールは外部に送られません/).count()).toBe(0);
});

const NAMED = /^(?:message-id|x-microsoft-original-message-id|from):/i;

/** Answers the look at the headers of a mail, which the server itself knows only whole. */
function answerHeaders(command: string): { readonly say: string; readonly end: 'OK' } | undefined {
  const [, uid] = /^UID FETCH (\d+) .*HEADER\.FIELDS/.exec(command) ?? [];
  if (uid === undefined) return undefined;
  const [head = ''] = (imap.mails.get(Number(uid))?.toString('latin1') ?? '').split('\r\n\r\n');
  const fields = `${head
    .split('\r\n')
    .filter((line) => NAMED.test(line))
    .join('\r\n')}\r\n\r\n`;
  const name = 'BODY[HEADER.FIELDS (MESSAGE-ID X-MICROSOFT-ORIGINAL-MESSAGE-ID FROM)]';
  return { say: `* 1 FETCH (UID ${uid} ${name} {${fields.length}}\r\n${fields})\r\n`, end: 'OK' };
}

const mayListen = process.getuid?.() === 0;

test.skipIf(!mayListen)('the check finds its own mail in the inbox once the owner consents to reading', async () => {
  imap = await new ImapServer().start();
  servers.push(await inFront(createTlsServer(certificate, pass(imap.settings().port)), 993));
  sink.keep = ({ source }) => imap.add(imap.mails.size + 1, Buffer.from(source));
  imap.script = answerHeaders;
  await page.goto(`${kaitaku.url}/settings/mailboxes`);
  await press(page, `${OWNER.name}を編集`);
  await page.getByLabel('返信を読む').check();
  await field(page, 'パスワード（必須）').fill(LOGIN.pass);
  await press(page, '保存して確かめる');
  await page.getByText('確認のメールが届きました。').waitFor();
  expect(await page.getByRole('listitem').filter({ hasText: '返信を読めます。' }).getAttribute('data-state')).toBe(
    'ok',
  );
  await press(page, '完了');
  await page.getByText('接続済み').waitFor();
  await leave(/status of 40[49]/);
});
