import { beforeEach, expect, test } from 'vitest';
import { openMailboxSession } from '#server/features/mailbox-reading/mailbox-session.ts';
import { mailboxChecks } from '#server/features/mailbox-settings/check/check.command.ts';
import type { MailboxServices } from '#server/features/mailboxes/mailbox-log-in.ts';
import { acceptSend } from '#server/features/runs/accept.command.ts';
import { Problem } from '#server/platform/problem.ts';
import { type BoxSinks, leaveBy, outboundTo, startBoxSink } from './box-sinks.ts';
import { emptyDatabase, type TestDatabase } from './db.ts';
import { ImapServer } from './imap-server.ts';
import { boxReport, personMail, startMailboxes } from './mailbox-reading.ts';
import { addOAuthMailbox, registerOAuthApp } from './mailboxes.ts';
import { PUBLIC_URL, TEST_MAILING } from './mailing.ts';
import { type OAuthStub, serveOAuth } from './oauth-provider.ts';
import { addTenant, type Tenant } from './prospects.ts';
import { testSecrets } from './secrets.ts';
import { acceptRun, countStates, eventually, testSink, testWorker, untilSettled } from './sending.ts';
import type { SmtpSink } from './smtp-sink.ts';
import { tlsBefore } from './tls-front.ts';

/*
 * A mailbox of Microsoft 365 from its check to a company that gets no more mail, by SMTP and IMAP with access tokens of
 * test/oauth-provider.ts. Its server does with the Message-ID what servers do.
 */

const HOST = 'mail.haru.example';
const ADDRESS = 'aya@haru.example';

let database: TestDatabase;
let tenant: Tenant;
let provider: OAuthStub;
let smtp: SmtpSink;
let imap: ImapServer;
let imapPort: number;
let services: MailboxServices;
let id: number;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  provider = await serveOAuth();
  const isValid = (user: string, token: string) => user === ADDRESS && provider.accepts(token);
  const sinks: BoxSinks = new Map();
  smtp = await startBoxSink(sinks, HOST);
  Object.assign(smtp, { login: null, token: isValid });
  imap = await new ImapServer().start();
  imap.token = isValid;
  if (smtp.tls === null) throw new Error('the server has no certificate');
  imapPort = await tlsBefore(imap.settings().port, smtp.tls);
  const outbound = { ...outboundTo(sinks), fetch: provider.outbound.fetch };
  services = { secrets: testSecrets, outbound, now: Date.now };
  await registerOAuthApp(database.db, tenant.accountId, 'microsoft');
  id = await addOAuthMailbox(database.db, tenant.accountId, provider, {
    address: ADDRESS,
    username: ADDRESS,
    smtp_host: HOST,
    imap_host: HOST,
    reads_replies: true,
    state: 'unchecked',
  });
  await leaveBy(database, tenant, id, ADDRESS);
});

const stateOfBox = () =>
  database.db.selectFrom('mailbox').select(['state', 'ids']).where('id', '=', id).executeTakeFirstOrThrow();
const stateOf = () => database.db.selectFrom('mailbox_state').selectAll().executeTakeFirstOrThrow();
const startReader = () =>
  startMailboxes(
    database,
    {},
    {
      mailboxes: services,
      open: ({ host, credentials }, stopping) =>
        openMailboxSession(services.outbound, { host, credentials, port: imapPort }, stopping),
    },
  );
const startWorker = async () => testWorker(database, await testSink(), { mailboxes: services });

/** Returns a field of a mail as it arrived; '' without one. */
const fieldOf = (source: string, name: string): string => {
  const [header = ''] = source.split('\r\n\r\n', 1);
  const unfolded = header.replace(/\r\n[ \t]+/g, ' ');
  return new RegExp(`^${name}: (.*)$`, 'im').exec(unfolded)?.[1] ?? '';
};
const without = (source: string, name: string): string =>
  source.replace(new RegExp(`^${name}: .*\\r\\n(?:[ \\t].*\\r\\n)*`, 'im'), '');

const SERVERS_ID = '<TYCP286MB0001@TYCP286.PROD.OUTLOOK.COM>';
const renamed = (source: string, more = '') =>
  source.replace(/^Message-ID: .*\r\n/m, `Message-ID: ${SERVERS_ID}\r\n${more}`);

/** What a server makes of each mail, what the check says of it, and by which field of ours its report is found. */
const WAYS = [
  { way: 'kept', ids: 'kept', names: 'Message-ID', quotes: false, change: (source: string) => source },
  { way: 'replaced', ids: 'lost', names: 'References', quotes: false, change: (source: string) => renamed(source) },
  {
    way: 'moved to another field',
    ids: 'replaced',
    names: 'X-Microsoft-Original-Message-ID',
    quotes: true,
    change: (source: string) =>
      renamed(without(source, 'References'), `X-Microsoft-Original-Message-ID: ${fieldOf(source, 'Message-ID')}\r\n`),
  },
  {
    way: 'stripped',
    ids: 'lost',
    names: 'List-Unsubscribe',
    quotes: true,
    change: (source: string) => without(without(source, 'References'), 'Message-ID'),
  },
];

/** A person's answer to a mail as it arrived, as mail programs write it. */
function answerTo(arrived: string, quotes: boolean): Buffer {
  const [messageId, references] = [fieldOf(arrived, 'Message-ID'), fieldOf(arrived, 'References')];
  const thread: [string, string][] =
    messageId === ''
      ? []
      : [
          ['In-Reply-To', messageId],
          ['References', `${references} ${messageId}`.trim()],
        ];
  const [, key = ''] = /\/u\/([0-9a-f]{32})/.exec(fieldOf(arrived, 'List-Unsubscribe')) ?? [];
  const quotation = quotes ? `\n\n> ${PUBLIC_URL}/u/${key}` : '';
  return personMail(fieldOf(arrived, 'To'), 'Re: 件名', `資料をお送りください。${quotation}`, thread);
}

test.each(WAYS)('a Message-ID that is $way: check, mail, answer, and the company is stopped', async (given) => {
  const { ids, names, quotes, change } = given;
  const arrived: string[] = [];
  const receive = (mail: Buffer) => imap.add(imap.mails.size + 1, mail);
  smtp.keep = (mail) => {
    smtp.mails.push(mail);
    const source = change(mail.source);
    if (mail.to.includes(ADDRESS)) receive(Buffer.from(source, 'latin1'));
    else arrived.push(source);
  };

  const check = mailboxChecks(services, { imapPort, timeMs: 15_000 });
  const member = { ...database.account(tenant.accountId, tenant.memberId), memberId: tenant.memberId };
  expect(await check(member, id)).toMatchObject({ state: 'ok' });
  expect(await stateOfBox()).toStrictEqual({ state: 'ok', ids });

  const { prospectIds } = await acceptRun(database, tenant, 2);
  await startWorker();
  await untilSettled(database.db);
  expect(await countStates(database.db)).toStrictEqual({ sent: 2 });

  const [answered = '', returned = ''] = arrived;
  receive(answerTo(answered, quotes));
  const field = `${names}: ${fieldOf(returned, names)}`;
  receive(boxReport(fieldOf(returned, 'To'), `From: ${ADDRESS}\nTo: ${fieldOf(returned, 'To')}\n${field}`));
  startReader();
  await eventually(
    () => countStates(database.db),
    ({ failed = 0 }) => failed === 1,
  );
  const replies = await database.db.selectFrom('reply').select(['kind', 'from_address', 'is_unclear']).execute();
  expect(replies).toStrictEqual([{ kind: 'reply', from_address: fieldOf(answered, 'To'), is_unclear: false }]);

  const body = {
    test_send_mode: 0 as const,
    attack_list: prospectIds.map((prospect_id) => ({ prospect_id })),
    datetime_list: null,
    days_from_lastday: 0,
  };
  const again = { senderId: tenant.senderId, body, idempotencyKey: null, ...TEST_MAILING };
  const order = await acceptSend(member, again, Date.now());
  if (order instanceof Problem) throw new Error(order.message);
  expect(order.skipped.map(({ reason }) => reason).toSorted()).toStrictEqual(['replied', 'suppressed']);
});

test('a revoked token is refused by both servers: nothing is read, no mail leaves, and the mailbox is lost', async () => {
  await database.db.updateTable('mailbox').set({ state: 'ok' }).execute();
  provider.revoke();
  startReader();
  const lost = await eventually(stateOfBox, ({ state }) => state !== 'ok');
  expect(lost.state).toBe('reconnect');
  const refused = imap.commands.filter((command) => !/^(?:CAPABILITY|ID|LOGOUT)\b/.test(command));
  expect([refused, imap.connections > 0]).toStrictEqual([[], true]);

  expect(await stateOf()).toMatchObject({ read_fault: 'login' });

  // As long as the token lasts by its own word, so that the server refuses it, and after one refusal.
  const usable = { state: 'ok', reads_replies: false, token_expires_at: new Date(Date.now() + 3_600_000) };
  await database.db.updateTable('mailbox').set(usable).execute();
  await database.db.updateTable('mailbox_state').set({ login_refusals: 1 }).execute();
  await acceptRun(database, tenant, 1);
  await startWorker();
  await eventually(stateOfBox, ({ state }) => state === 'reconnect');
  expect(await stateOf()).toMatchObject({ last_fault: expect.stringMatching(/^535 /) });
  await eventually(
    () => countStates(database.db),
    ({ queued }) => queued === 1,
  );
  expect(smtp.mails).toStrictEqual([]);
});
