import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { ImapServer } from '#test/imap-server.ts';
import { iso2022jp, rawMail } from '#test/inbox-mails.ts';
import {
  addReadMailbox,
  addSentMail,
  BOX,
  boxReport,
  personMail,
  type SentMail,
  startMailboxes,
} from '#test/mailbox-reading.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { eventually } from '#test/sending.ts';

/** What mails in a mailbox do: to mails of its own account, and to no others. */

let database: TestDatabase;
let tenant: Tenant;
let server: ImapServer;
let id: number;
let uid = 0;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  server = await new ImapServer().start();
  id = await addReadMailbox(database, tenant.accountId);
  uid = 0;
});

const state = () =>
  database.db.selectFrom('mailbox_state').selectAll().where('mailbox_id', '=', id).executeTakeFirstOrThrow();

/** Reads mails in the mailbox to the end. */
async function read(...mails: readonly Buffer[]): Promise<void> {
  for (const mail of mails) {
    uid += 1;
    server.mails.set(uid, mail);
  }
  const stop = startMailboxes(database, { 'imap.example': server });
  await eventually(state, ({ last_uid }) => last_uid === uid);
  await stop();
}

const mailTo = (address = 'info@midori.example', more?: Parameters<typeof addSentMail>[3], of = tenant) =>
  addSentMail(database, of, address, more);
const replies = () => database.db.selectFrom('reply').selectAll().orderBy('id').execute();
const refused = async () =>
  (await database.db.selectFrom('suppression').select(['value', 'class', 'source']).orderBy('id').execute()).map(
    (row) => `${row.value} ${row.class} ${row.source}`,
  );
const bounces = async () =>
  (await database.db.selectFrom('bounce').select(['delivery_id', 'class']).execute()).map((row) => row.class);
const stateOf = async ({ id: delivery }: SentMail) =>
  (await database.db.selectFrom('delivery').select('state').where('id', '=', delivery).executeTakeFirstOrThrow()).state;

/** The header of a mail of ours, as servers return it. */
const headerOf = ({ key, messageId, address }: SentMail, more = ''): string =>
  `From: ${BOX}\nTo: ${address}\nMessage-ID: ${messageId}\nList-Unsubscribe: <mailto:${BOX}?subject=unsubscribe%20${key}>${more}`;
const inThread = ({ messageId }: SentMail) => [['In-Reply-To', messageId]] as const;

const complaint = (mail: SentMail, recipient: string): Buffer =>
  rawMail(
    [
      ['Return-Path', '<>'],
      ['From', 'feedback@provider.example'],
      ['Subject', 'complaint'],
      ['Content-Type', 'multipart/report; report-type=feedback-report; boundary="b2"'],
    ],
    `--b2
Content-Type: message/feedback-report

Feedback-Type: abuse
${recipient === '' ? '' : `Original-Rcpt-To: <${recipient}>\n`}Version: 1

--b2
Content-Type: text/rfc822-headers

From: ${BOX}
List-Unsubscribe: <https://kaitaku.example/u/${mail.key}>

--b2--
`,
  );

describe('a refusal', () => {
  test.each([
    ['as the link writes it', (key: string) => `unsubscribe ${key}`],
    [
      'encoded, behind a mark of a gateway',
      (key: string) => `=?utf-8?B?${Buffer.from(`[外部] Unsubscribe ${key.toUpperCase()}`).toString('base64')}?=`,
    ],
    ['by a program that decodes no link', (key: string) => `unsubscribe%20${key}`],
    ['folded', (key: string) => `unsubscribe\r\n ${key}`],
  ])('lawful 82: by subject, %s: the key decides, whoever writes, and no body is read', async (_, subject) => {
    const mail = await mailTo();
    await read(personMail('forged@other.example', subject(mail.key), 'やめてください'));
    expect(await refused()).toStrictEqual(['info@midori.example refused mailto']);
    expect(server.bodies).toStrictEqual([]);
    expect(await replies()).toStrictEqual([]);
  });

  test('lawful 78: in an answer of a colleague refuses both', async () => {
    const mail = await mailTo();
    await read(personMail('hanako@midori.example', 'Re: ご提案', '今後は送らないでください。', inThread(mail)));
    expect((await refused()).toSorted()).toStrictEqual([
      'hanako@midori.example refused reply',
      'info@midori.example refused reply',
    ]);
    expect(await replies()).toMatchObject([{ is_refusal: true, from_trust: 'single', is_unclear: false }]);
  });

  test('with Authentication-Results that prove another domain proves nothing', async () => {
    const mail = await mailTo();
    const proof = ['Authentication-Results', 'mx.example.com; dmarc=pass header.from=other.example'] as const;
    await read(personMail('a@other.example', 'Re: ご提案', '送らないでください。', [...inThread(mail), proof]));
    expect(await refused()).toStrictEqual(['info@midori.example refused reply']);
    expect(await replies()).toMatchObject([{ from_trust: 'single' }]);
  });
});

describe('an answer', () => {
  test('in ISO-2022-JP in a thread is read, whoever writes', async () => {
    const mail = await mailTo();
    const header = [...inThread(mail), ['Content-Type', 'text/plain; charset=iso-2022-jp']] as const;
    await read(personMail('a@other.example', 'x', iso2022jp('資料をください。'), header));
    expect(await replies()).toMatchObject([{ delivery_id: mail.id, excerpt: '資料をください。', kind: 'reply' }]);
  });

  test('of our own side leaves nothing: neither a colleague nor another mailbox', async () => {
    const mail = await mailTo();
    await database.db
      .updateTable('mailbox')
      .set({ other_from: ['alias@example.com'] })
      .execute();
    const { email } = await database.db.selectFrom('member').select('email').executeTakeFirstOrThrow();
    await read(
      ...[BOX, 'Alias@example.com', email].map((from) => personMail(from, 'Re: ご提案', '停止', inThread(mail))),
    );
    expect([await replies(), await refused(), server.bodies]).toStrictEqual([[], [], []]);
  });

  test("of a recipient counts, although a colleague's mailbox claims the address without having proved it", async () => {
    const [thread, subject] = [await mailTo('a@a.example'), await mailTo('b@b.example')];
    for (const address of ['a@a.example', 'b@b.example']) {
      await addReadMailbox(database, tenant.accountId, { address, state: 'unchecked', reads_replies: false });
    }
    await read(
      personMail('a@a.example', 'x', '今後は送らないでください。', inThread(thread)),
      personMail('b@b.example', 'Re: 受発注業務の効率化のご提案', 'はい'),
    );
    expect(await refused()).toStrictEqual(['a@a.example refused reply']);
    expect(await replies()).toMatchObject([
      { delivery_id: thread.id, is_refusal: true },
      { delivery_id: subject.id, is_unclear: true },
    ]);
  });

  test('to a Message-ID that a server replaced is found by References, and without them by (d)', async () => {
    const byReferences = await mailTo('a@a.example');
    const stripped = await mailTo('c@c.example');
    await read(
      personMail('a@a.example', 'x', 'はい', [
        ['In-Reply-To', '<TYCP286MB0001@TYCP286.outlook.com>'],
        ['References', `${byReferences.messageId} <TYCP286MB0001@TYCP286.outlook.com>`],
      ]),
      personMail(
        'c@c.example',
        'RE: 受発注業務の効率化のご提案',
        `はい\n\n> ${BOX}?subject=unsubscribe%20${stripped.key}`,
        [['In-Reply-To', '<TYCP286MB0002@TYCP286.outlook.com>']],
      ),
    );
    expect(await replies()).toMatchObject([
      { delivery_id: byReferences.id, is_unclear: false },
      { delivery_id: stripped.id, is_unclear: false, doubted_address: null },
    ]);
  });

  test('without references, that quotes the link of a mail to its writer, is certain', async () => {
    const mail = await mailTo();
    const html = `<p>お断りします。送らないでください。</p><blockquote><a href="https://kaitaku.example/u/${mail.key}">停止</a></blockquote>`;
    await read(
      personMail('Info@midori.example', '返信：受発注業務の 効率化のご提案', html, [
        ['Content-Type', 'text/html; charset=utf-8'],
      ]),
    );
    expect(await replies()).toMatchObject([{ delivery_id: mail.id, is_refusal: true, is_unclear: false }]);
    expect(await refused()).toStrictEqual(['info@midori.example refused reply']);
  });

  test('to a follow-up, without references, is found by the subject of the first mail', async () => {
    const first = await mailTo();
    const second = await mailTo('second@midori.example', { subject: '別の件名' });
    const follows = { follows_id: first.id, mail_to: first.address, finished_at: new Date(Date.now() + 1000) };
    await database.db.updateTable('delivery').set(follows).where('id', '=', second.id).execute();
    await read(personMail(first.address, 'Re: Re: 受発注業務の効率化のご提案', `はい\n> ${second.key}`));
    expect(await replies()).toMatchObject([{ delivery_id: second.id, is_unclear: false }]);
  });

  test.each([['Re: 受発注業務の効率化のご提案'], ['配信停止希望']])(
    'without references and quotation is unclear: %s: mails wait, its text is not stored',
    async (subject) => {
      const mail = await mailTo();
      await read(personMail('info@midori.example', subject, 'ひみつの本文'));
      expect(await replies()).toMatchObject([
        {
          delivery_id: mail.id,
          kind: 'reply',
          from_address: 'info@midori.example',
          excerpt: '本文は保存していません。',
          is_unclear: true,
          is_refusal: false,
          doubted_address: 'info@midori.example',
        },
      ]);
      expect(await refused()).toStrictEqual([]);
    },
  );

  test.each([
    ['another subject', 'info@midori.example', '請求書の件'],
    ['the subject without its prefix', 'info@midori.example', '受発注業務の効率化のご提案'],
    ['a writer to whom nothing went', 'x@midori.example', 'Re: 受発注業務の効率化のご提案'],
  ])('is none, and private, with %s', async (_, from, subject) => {
    await mailTo();
    await read(personMail(from, subject, 'ひみつ'));
    expect([await replies(), server.bodies]).toStrictEqual([[], []]);
  });

  test('is none after 30 days, to a test, and to a mail whose answers reach another address', async () => {
    const old = await mailTo('a@a.example');
    await sql`UPDATE delivery SET finished_at = now() - interval '31 days' WHERE id = ${old.id}`.execute(database.db);
    const tried = await mailTo('b@b.example');
    await sql`UPDATE delivery SET test_send_mode = true WHERE id = ${tried.id}`.execute(database.db);
    const { run } = await mailTo('c@c.example');
    await sql`UPDATE send_log SET mail = jsonb_set(mail, '{sender,reply_to}', '"desk@example.com"') WHERE id = ${run}`.execute(
      database.db,
    );
    await read(
      ...['a@a.example', 'b@b.example', 'c@c.example'].map((from) =>
        personMail(from, 'Re: 受発注業務の効率化のご提案', 'はい'),
      ),
    );
    expect([await replies(), server.bodies]).toStrictEqual([[], []]);
  });

  test('of a robot without references stops nothing, and leaves nothing', async () => {
    await mailTo();
    const robot = [['Auto-Submitted', 'auto-replied']] as const;
    await read(personMail('info@midori.example', 'Re: 受発注業務の効率化のご提案', '不在です。', robot));
    expect(await replies()).toStrictEqual([]);
  });
});

describe('a report', () => {
  test('fails the mail of its own account, by the key or by the Message-ID', async () => {
    const [first, second] = [await mailTo('a@a.example'), await mailTo('b@b.example')];
    await read(
      boxReport('a@a.example', headerOf(first)),
      boxReport('b@b.example', `From: ${BOX}\nMessage-ID: ${second.messageId}`),
    );
    expect([await stateOf(first), await stateOf(second)]).toStrictEqual(['failed', 'failed']);
    expect(await bounces()).toStrictEqual(['hard', 'hard']);
  });

  test.each([
    ['References', (id: string) => `References: ${id}`],
    ['X-Microsoft-Original-Message-ID', (id: string) => `X-Microsoft-Original-Message-ID: ${id}`],
  ])('whose returned Message-ID was replaced is found by %s', async (_, field) => {
    const mail = await mailTo();
    const returned = `From: ${BOX}\nMessage-ID: <TYCP286MB0001@TYCP286.outlook.com>\n${field(mail.messageId)}`;
    await read(boxReport('info@midori.example', returned));
    expect(await stateOf(mail)).toBe('failed');
  });

  test.each([
    ['without Return-Path', 'info@midori.example', { returnPath: '' }],
    ['of a person', 'info@midori.example', { returnPath: '<x@y.example>' }],
    ['that names another recipient', 'other@midori.example', {}],
    ['that names nobody', '', {}],
  ])('%s changes nothing', async (_, recipient, more) => {
    const mail = await mailTo();
    await read(boxReport(recipient, headerOf(mail), more));
    expect([await stateOf(mail), await bounces(), await refused()]).toStrictEqual(['sent', [], []]);
  });

  test('in plain text of a server that names the failed recipient counts', async () => {
    const mail = await mailTo();
    const text = `This message was created automatically by mail delivery software.

A message that you sent could not be delivered. This is a permanent error. The following address(es) failed:

  info@midori.example
    550 User unknown

------ This is a copy of the message's headers. ------

Return-path: <${BOX}>
${headerOf(mail)}
`;
    const fields = [
      ['Return-Path', '<>'],
      ['From', 'Mailer-Daemon@mx.example'],
      ['Subject', 'Mail delivery failed: returning message to sender'],
      ['X-Failed-Recipients', 'info@midori.example'],
    ] as const;
    await read(rawMail(fields, text));
    expect(await stateOf(mail)).toBe('failed');
  });

  test('passed on by another cell, and keys in recipients, mean nothing', async () => {
    const mail = await mailTo();
    const answer = personMail('', 'x', 'y', [
      ['X-Kaitaku-Passed-On', '1; reply'],
      ['To', `u-${mail.key}@bounce.kaitaku.example`],
      ['Delivered-To', `b-${mail.key}@bounce.kaitaku.example`],
    ]);
    await read(answer);
    expect([await replies(), await refused(), await stateOf(mail)]).toStrictEqual([[], [], 'sent']);
  });

  test('that claims to be passed on by another cell as a reply is the report that it is', async () => {
    const mail = await mailTo();
    const report = boxReport('info@midori.example', headerOf(mail)).toString();
    await read(Buffer.from(`X-Kaitaku-Passed-On: 1; reply\r\n${report}`));
    expect([await stateOf(mail), await replies()]).toStrictEqual(['failed', []]);
  });

  test('of the bounce of a private mail leaves nothing', async () => {
    await mailTo();
    await read(boxReport('friend@home.example', `From: ${BOX}\nMessage-ID: <private@example.com>`));
    expect([await bounces(), await refused(), await replies()]).toStrictEqual([[], [], []]);
    const parses = await database.db.selectFrom('inbox_parse').selectAll().execute();
    expect(parses).toStrictEqual([]);
  });
});

describe('a complaint', () => {
  test('that names the recipient refuses', async () => {
    const mail = await mailTo();
    await read(complaint(mail, 'info@midori.example'));
    expect(await refused()).toStrictEqual(['info@midori.example refused complaint']);
  });

  test.each(['', 'other@midori.example'])('that names %j changes nothing', async (recipient) => {
    const mail = await mailTo();
    await read(complaint(mail, recipient));
    expect(await refused()).toStrictEqual([]);
  });
});

test("own account alone: forged answers, reports, complaints and refusals for another account's mails change none of its rows", async () => {
  const foreign = await addTenant(database.db);
  const mails: SentMail[] = [];
  for (let n = 0; n < 100; n += 1) mails.push(await mailTo(`info${n}@b.example`, {}, foreign));
  const tables = ['delivery', 'reply', 'bounce', 'suppression', 'opt_out', 'send_log', 'audit_event', 'contact_state'];
  const hashes = async () => {
    const { rows: found } = await sql<{ name: string }>`
      SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'account_id' AND table_name NOT LIKE 'mailbox%'`.execute(
      database.db,
    );
    const names = found.map(({ name }) => name).toSorted();
    expect(names).toStrictEqual(expect.arrayContaining(tables.filter((name) => name !== 'opt_out')));
    const all: Record<string, string> = {};
    for (const name of names) {
      const { rows } = await sql<{ hash: string }>`
        SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) AS hash
        FROM ${sql.table(name)} AS t WHERE account_id = ${foreign.accountId}`.execute(database.db);
      all[name] = rows[0]?.hash ?? '';
    }
    return all;
  };
  const before = await hashes();
  const own = await mailTo('own@a.example');
  const forged = mails.flatMap((mail) => [
    personMail(mail.address, 'Re: 受発注業務の効率化のご提案', `送らないでください。${mail.key}`, inThread(mail)),
    boxReport(mail.address, headerOf(mail)),
    complaint(mail, mail.address),
    personMail(mail.address, `unsubscribe ${mail.key}`, ''),
  ]);
  // The key of another account's mail beside a thread of ours counts for ours alone.
  const mixed = personMail('own@a.example', 'Re: x', `はい ${mails[0]?.key}`, inThread(own));
  await read(...forged, mixed);
  expect(await hashes()).toStrictEqual(before);
  expect(await replies()).toMatchObject([{ account_id: tenant.accountId, delivery_id: own.id }]);
});
