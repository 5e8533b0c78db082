import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { complaintMail, dsnMail, postfixGroup, qmailBounce, RETURN_PATTERN, replyMail } from '#test/inbox-mails.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, finishDeliveries, markSending, unbalancedRuns, untilBlocked } from '#test/sending.ts';
import { recordContacts } from '../delivery/results/contact.queries.ts';
import { readInboxMail } from './read-mail.ts';
import { takeMail } from './take-mail.command.ts';

let database: TestDatabase;
let tenant: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  onTestFinished(async () => expect(await unbalancedRuns(database.db)).toStrictEqual([]));
});

const mails = () => database.db.selectFrom('delivery').selectAll().orderBy('id').execute();
const states = async () => (await mails()).map(({ state }) => state);
const bounces = () => database.db.selectFrom('bounce').selectAll().orderBy('delivery_id').orderBy('class').execute();
const suppressions = () =>
  database.db.selectFrom('suppression').select(['value', 'class', 'source', 'reason']).orderBy('value').execute();
const runs = async () =>
  (await database.db.selectFrom('send_log').select('paused_by').orderBy('id').execute()).map((run) => run.paused_by);

/** Hands the first `count` waiting mails over, as a worker does. */
async function sendMails(count: number): Promise<void> {
  const claims = await claimMails(database, { rows: count });
  await markSending(database.service.db, claims);
  const outcome = { kind: 'sent', reply: '250 OK' } as const;
  await finishDeliveries(
    database.service.db,
    claims.map((claim) => ({ claim, outcome })),
  );
}

/** Queues the first mail again, as a member does who sends failed mails again, and hands it over. */
async function sendFirstAgain(): Promise<void> {
  await database.db
    .updateTable('delivery')
    .set({ state: 'queued', finished_at: null, not_before: new Date(0), attempts: 0 })
    .where('id', '=', (await mails())[0]?.id ?? 0)
    .execute();
  // The days between two mails to a company are over.
  await database.db.deleteFrom('contact_state').execute();
  await database.db.deleteFrom('address_contact').execute();
  await sendMails(1);
}

const keyOf = async (n: number) => (await mails())[n]?.mail_key?.replaceAll('-', '') ?? expect.unreachable();

async function take(raw: Buffer, now: () => number = Date.now) {
  const { db } = database.service;
  const services = { db, now, accountDb: accountDbOf(db) };
  return takeMail(services, await readInboxMail(raw, RETURN_PATTERN), () => expect.unreachable());
}

/** Takes the report of Postfix about the nth mail. */
const takeDsn = async (n: number, group: string, more: Parameters<typeof dsnMail>[0] = {}) =>
  take(dsnMail({ key: await keyOf(n), groups: [group], ...more }));

const hard = (address: string) => postfixGroup(address, '5.1.1', `smtp; 550 5.1.1 <${address}>: User unknown`);
const full = (address: string) => postfixGroup(address, '5.2.2', 'smtp; 552 5.2.2 Mailbox full');
const refused = (address: string) => postfixGroup(address, '5.7.1', 'smtp; 550 5.7.1 rejected by DMARC policy');
const tooLarge = (address: string) => postfixGroup(address, '5.3.4', 'smtp; 552 5.3.4 too large');
const FIRST = 'info0@a.example';

describe('a bounce', () => {
  test('lawful 60, 64: of an unknown address fails its mail and suppresses the address, once', async () => {
    await acceptRun(database, tenant, 2);
    await sendMails(2);
    for (let round = 0; round < 2; round += 1) {
      expect(await takeDsn(0, hard('INFO0@a.example'))).toBe('bounce');
      const reply = '5.1.1 550 5.1.1 <INFO0@a.example>: User unknown';
      expect(await mails()).toMatchObject([
        { state: 'failed', smtp_reply: reply, reason: null },
        { state: 'sent', smtp_reply: '250 OK' },
      ]);
      expect(await bounces()).toMatchObject([{ class: 'hard', status: '5.1.1', reply, is_forwarded: false }]);
      expect(await suppressions()).toStrictEqual([
        { value: FIRST, class: 'undeliverable', source: 'dsn', reason: reply },
      ]);
    }
  });

  test('lawful 64: read by two workers at once counts once', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    expect(await Promise.all([1, 2, 3].map(() => takeDsn(0, hard(FIRST))))).toStrictEqual([
      'bounce',
      'bounce',
      'bounce',
    ]);
    expect(await bounces()).toHaveLength(1);
    expect(await suppressions()).toHaveLength(1);
  });

  test.each([
    ['lawful 62: soft', full, 'soft'],
    ['policy', refused, 'policy'],
    ['of the mail', tooLarge, 'mail'],
  ] as const)('%s fails its mail and keeps the address', async (_, group, expected) => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    await takeDsn(0, group(FIRST));
    expect(await states()).toStrictEqual(['failed']);
    expect(await bounces()).toMatchObject([{ class: expected }]);
    expect(await suppressions()).toStrictEqual([]);
  });

  test('«delivered» gives the mail its time', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    await takeDsn(0, postfixGroup(FIRST, '2.0.0', 'smtp; 250 ok', 'delivered'));
    expect(await mails()).toMatchObject([{ state: 'sent', delivered_at: expect.any(Date) }]);
    expect(await bounces()).toStrictEqual([]);
  });

  test('lawful 63: about a copy changes nothing; with the main recipient, only the latter counts', async () => {
    await database.db.updateTable('sender_profile').set({ bcc: 'copy@own.example' }).execute();
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    expect(await takeDsn(0, hard('copy@own.example'))).toBe('ignored');
    expect(await states()).toStrictEqual(['sent']);
    const key = await keyOf(0);
    await take(dsnMail({ key, groups: [hard('copy@own.example'), full(FIRST)] }));
    expect(await bounces()).toMatchObject([{ class: 'soft' }]);
  });

  test('lawful 69: about an address to which the mail was forwarded keeps ours', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    const forwarded = hard('other@b.example').replace(/Original-Recipient.*\n/, '');
    await takeDsn(0, forwarded);
    expect(await states()).toStrictEqual(['failed']);
    expect(await bounces()).toMatchObject([{ class: 'hard', is_forwarded: true }]);
    expect(await suppressions()).toStrictEqual([]);
  });

  test('with our address as the original one is about it', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    await takeDsn(0, hard('renamed@a.example').replace(/(Original-Recipient: rfc822;).*/, `$1${FIRST}`));
    expect(await suppressions()).toMatchObject([{ value: FIRST }]);
  });

  test('of qmail is as good as a report', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    expect(await take(qmailBounce(FIRST, 'Sorry, no mailbox here. (#5.1.1)', await keyOf(0)))).toBe('bounce');
    expect(await suppressions()).toMatchObject([{ value: FIRST }]);
  });

  test('of qmail about a copy and the recipient is about the latter (field b18)', async () => {
    await database.db.updateTable('sender_profile').set({ bcc: 'copy@own.example' }).execute();
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    const reason = `552 5.2.2 mailbox full\n\n<${FIRST}>:\nRemote host said: 550 5.1.1 User unknown`;
    expect(await take(qmailBounce('copy@own.example', reason, await keyOf(0)))).toBe('bounce');
    expect(await bounces()).toMatchObject([{ class: 'hard', is_forwarded: false }]);
    expect(await suppressions()).toMatchObject([{ value: FIRST }]);
  });

  test.each([
    ['a rate (field b03)', '5.2.1', '550-5.2.1 The user you are trying to contact is receiving mail at a rate that'],
    ['a blocklist (field b05)', '5.1.3', '553 http://www.spamhaus.org/query/bl?ip=192.0.2.22'],
    ['our own address (field b16)', '5.1.0', '550 5.1.0 <sales@own.example> sender rejected: mailbox does not exist'],
    ['a mailbox that is not the recipient', '5.1.1', '550 5.1.1 <other@own.example>: User unknown'],
  ])('that blames %s keeps the address', async (_, status, words) => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    expect(await takeDsn(0, postfixGroup(FIRST, status, `smtp; ${words}`))).toBe('bounce');
    expect(await states()).toStrictEqual(['failed']);
    expect(await suppressions()).toStrictEqual([]);
  });

  test('lawful 70: that only warns of a delay changes nothing', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    const warning = qmailBounce(FIRST, 'has not yet been delivered', await keyOf(0)).toString();
    expect(await take(Buffer.from(warning.replace(/This is a permanent error.*/, '')))).toBe('ignored');
    expect([await states(), await bounces()]).toStrictEqual([['sent'], []]);
  });

  test('lawful 65: with an unknown key is left', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    expect(await take(dsnMail({ groups: [hard(FIRST)] }))).toBe('unmatched');
    expect(await states()).toStrictEqual(['sent']);
  });

  test('lawful 67: that comes 40 days late is ignored', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    const later = () => Date.now() + 40 * 86_400_000;
    expect(await take(dsnMail({ key: await keyOf(0), groups: [hard(FIRST)] }), later)).toBe('ignored');
    expect(await states()).toStrictEqual(['sent']);
  });

  test('lawful 68: of a mail that waits to be sent again counts for the address alone, and its claim cancels it', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    await database.db
      .updateTable('delivery')
      .set({ state: 'queued', finished_at: null, not_before: new Date(0) })
      .execute();
    await takeDsn(0, hard(FIRST));
    expect(await states()).toStrictEqual(['queued']);
    expect(await suppressions()).toMatchObject([{ value: FIRST }]);
    await claimMails(database);
    expect(await mails()).toMatchObject([{ state: 'cancelled', reason: 'suppressed' }]);
  });

  test('of an unknown mail settles it, of a cancelled one nothing', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    await database.db.updateTable('delivery').set({ state: 'unknown' }).execute();
    await takeDsn(0, hard(FIRST));
    expect(await states()).toStrictEqual(['failed']);
    await database.db.updateTable('delivery').set({ state: 'cancelled' }).execute();
    expect(await takeDsn(0, full(FIRST))).toBe('ignored');
  });

  test('of a mail that was sent again counts anew, and the old report does not', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    await takeDsn(0, full(FIRST), { id: 'first' });
    await sendFirstAgain();
    expect(await states()).toStrictEqual(['sent']);
    await takeDsn(0, full(FIRST), { id: 'first' });
    expect(await states()).toStrictEqual(['sent']);
    await takeDsn(0, full(FIRST), { id: 'second' });
    expect(await states()).toStrictEqual(['failed']);
    expect(await bounces()).toHaveLength(1);
    // The third time it arrives, and the mailbox is read anew.
    await sendFirstAgain();
    for (const id of ['first', 'second']) expect(await takeDsn(0, full(FIRST), { id })).toBe('bounce');
    expect(await states()).toStrictEqual(['sent']);
  });

  test('of a test mail suppresses nothing and pauses nothing', async () => {
    await acceptRun(database, tenant, 2, { test: true });
    await sendMails(1);
    await takeDsn(0, hard('test+0@example.com'));
    await takeDsn(0, refused('test+0@example.com'));
    expect(await states()).toStrictEqual(['failed', 'queued']);
    expect(await suppressions()).toStrictEqual([]);
    expect(await runs()).toStrictEqual([null]);
  });

  test('of an erased person changes nothing', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    await database.db
      .updateTable('delivery')
      .set({ mail_to: null, erased_hash: Buffer.from('x') })
      .execute();
    expect(await takeDsn(0, hard(FIRST))).toBe('ignored');
    expect(await bounces()).toStrictEqual([]);
  });
});

describe('three soft bounces in a row', () => {
  /** Sends a mail of a new run to the first company. */
  async function sendAgain(prospectIds: readonly number[]): Promise<number> {
    const [first] = await mails();
    const { id: _, address_key: __, ...copy } = first ?? expect.unreachable();
    const log = await database.db.selectFrom('send_log').selectAll().executeTakeFirstOrThrow();
    const { id: ___, idempotency_key: ____, ...run } = log;
    const { id } = await database.db
      .insertInto('send_log')
      .values({ ...run, mail: JSON.stringify(run.mail), answer: JSON.stringify(run.answer) })
      .returning('id')
      .executeTakeFirstOrThrow();
    await database.db
      .insertInto('delivery')
      .values({ ...copy, send_log_id: id, prospect_id: prospectIds[0] ?? 0, mail_key: sql`gen_random_uuid()` as never })
      .execute();
    await database.db
      .updateTable('delivery')
      .set({ state: 'sent', finished_at: sql`now()` })
      .where('send_log_id', '=', id)
      .execute();
    await recordContacts(database.db as never, [{ ...tenant, prospectId: prospectIds[0] ?? 0 }]);
    return (await mails()).length - 1;
  }

  test('make an address undeliverable', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    await sendMails(1);
    await takeDsn(0, full(FIRST));
    await takeDsn(await sendAgain(prospectIds), postfixGroup(FIRST, '4.4.1', 'X-Postfix; timed out'));
    expect(await suppressions()).toStrictEqual([]);
    await takeDsn(await sendAgain(prospectIds), full(FIRST));
    expect(await suppressions()).toStrictEqual([
      { value: FIRST, class: 'undeliverable', source: 'dsn', reason: '3回続けて届きませんでした' },
    ]);
  });

  test('do not count with a mail that arrived when it was sent again', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    await sendMails(1);
    await takeDsn(0, full(FIRST));
    await sendFirstAgain();
    for (let n = 0; n < 2; n += 1) await takeDsn(await sendAgain(prospectIds), full(FIRST));
    expect(await suppressions()).toStrictEqual([]);
  });

  test('do not count with a delivered mail between, nor twice for one mail, nor after half a year', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    await sendMails(1);
    await takeDsn(0, full(FIRST));
    await takeDsn(0, full(FIRST));
    await takeDsn(await sendAgain(prospectIds), full(FIRST));
    await sendAgain(prospectIds);
    await takeDsn(await sendAgain(prospectIds), full(FIRST));
    expect(await suppressions()).toStrictEqual([]);
    const old = new Date(Date.now() - 200 * 86_400_000);
    await database.db
      .updateTable('delivery')
      .set({ created_at: old, finished_at: old })
      .where('id', '<', (await mails()).at(-1)?.id ?? 0)
      .execute();
    await takeDsn(await sendAgain(prospectIds), full(FIRST));
    expect(await suppressions()).toStrictEqual([]);
  });
});

describe('lawful 72: bounces by policy', () => {
  test('pause a run once, also when a refused mail is sent again and refused again', async () => {
    await acceptRun(database, tenant, 60);
    await sendMails(3);
    for (const n of [1, 2, 0]) await takeDsn(n, refused(`info${n}@a.example`));
    expect(await runs()).toStrictEqual(['policy_bounces']);
    await database.db.updateTable('send_log').set({ paused_by: null }).execute();
    await sql`UPDATE delivery SET not_before = now() WHERE state = 'queued'`.execute(database.db);
    await sendFirstAgain();
    await takeDsn(0, refused(FIRST), { id: 'later' });
    expect(await states()).toContain('queued');
    expect((await states())[0]).toBe('failed');
    expect(await runs()).toStrictEqual([null]);
  });

  test('pause a run at the third, and not again after its owner resumed it', async () => {
    await acceptRun(database, tenant, 60);
    await sendMails(4);
    for (const n of [0, 1]) await takeDsn(n, refused(`info${n}@a.example`));
    expect(await runs()).toStrictEqual([null]);
    await takeDsn(2, refused('info2@a.example'));
    expect(await runs()).toStrictEqual(['policy_bounces']);
    expect(await claimMails(database)).toStrictEqual([]);
    await database.db.updateTable('send_log').set({ paused_by: null }).execute();
    await database.db
      .updateTable('delivery')
      .set({ not_before: new Date(0) })
      .where('state', '=', 'queued')
      .execute();
    await takeDsn(3, refused('info3@a.example'));
    expect(await runs()).toStrictEqual([null]);
    expect(await suppressions()).toStrictEqual([]);
  });

  test('do not pause a run that has nothing left to send', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    await takeDsn(0, refused(FIRST));
    expect(await runs()).toStrictEqual([null]);
  });
});

describe('a mail about none of ours', () => {
  test('lawful 80: a complaint without a key is counted, and changes nothing', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    expect(await take(complaintMail('abuse', 'From: other@elsewhere.example\nMessage-ID: <1@elsewhere.example>'))).toBe(
      'unmatched',
    );
    expect([await states(), await suppressions()]).toStrictEqual([['sent'], []]);
  });

  test('lawful 79: what a robot answers to a notice of ours is left, and nothing that comes in is answered', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    const robot = [['Auto-Submitted', 'auto-replied']] as const;
    expect(await take(replyMail('Back on Monday.', robot))).toBe('unmatched');
    expect(await take(replyMail('Hello', [['X-Original-To', `b-${await keyOf(0)}@bounce.kaitaku.example`]]))).toBe(
      'reply',
    );
    expect(await takeDsn(0, full(FIRST))).toBe('bounce');
    expect(await states()).toStrictEqual(['failed']);
    expect(await database.db.selectFrom('job').selectAll().execute()).toStrictEqual([]);
  });
});

describe('a reader who refuses', () => {
  test.each([
    ['complaint', async () => complaintMail('abuse', `List-Unsubscribe: <https://k.example/u/${await keyOf(0)}>`)],
    ['mailto', async () => replyMail('', [['X-Original-To', `u-${await keyOf(0)}@bounce.kaitaku.example`]])],
  ] as const)('by %s gets no more mail', async (source, mailOf) => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    await sendMails(1);
    await acceptRun(database, tenant, 1);
    await database.db
      .updateTable('prospect')
      .set({ company_email: FIRST, email_search: FIRST })
      .where('id', 'not in', prospectIds)
      .execute();
    for (let round = 0; round < 2; round += 1) {
      expect(await take(await mailOf())).toBe(source === 'mailto' ? 'refusal' : source);
      expect(await suppressions()).toMatchObject([{ value: FIRST, class: 'refused', source }]);
      expect(await states()).toStrictEqual(['sent', 'cancelled']);
    }
    const events = await database.db.selectFrom('audit_event').select('detail').where('kind', '=', 'opt_out').execute();
    expect(events).toMatchObject([{ detail: { source } }]);
  });
});

describe('an answer', () => {
  const answers = () => database.db.selectFrom('reply').selectAll().execute();
  const threaded = async (body: string, more: Parameters<typeof replyMail>[1] = []) =>
    Buffer.from(
      replyMail(body, more)
        .toString()
        .replaceAll(/<[0-9a-f-]{36}@kaitaku\.example>/g, (await mails())[0]?.message_id ?? ''),
    );

  test('is stored once, whoever of the company wrote it', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    await sendMails(1);
    for (let round = 0; round < 2; round += 1) {
      expect(await take(await threaded('Please call us.'))).toBe('reply');
      expect(await answers()).toMatchObject([
        {
          prospect_id: prospectIds[0],
          delivery_id: (await mails())[0]?.id,
          kind: 'reply',
          from_address: 'info@midori.example',
          excerpt: 'Please call us.',
          handled_at: null,
        },
      ]);
    }
    expect(await states()).toStrictEqual(['sent']);
  });

  test('lawful 69, 78: to a mail whose forward came back is one', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    await takeDsn(0, hard('other@b.example').replace(/Original-Recipient.*\n/, ''));
    expect(await states()).toStrictEqual(['failed']);
    expect(await take(await threaded('Please call us.'))).toBe('reply');
    expect(await answers()).toHaveLength(1);
  });

  test('that comes before the worker has recorded the result is one', async () => {
    await acceptRun(database, tenant, 1);
    await markSending(database.service.db, await claimMails(database));
    expect(await states()).toStrictEqual(['sending']);
    expect(await take(await threaded('Away.', [['Auto-Submitted', 'auto-replied']]))).toBe('auto_reply');
    expect(await answers()).toHaveLength(1);
  });

  test('cancels the mails that wait for its company', async () => {
    const { prospectIds } = await acceptRun(database, tenant, 1);
    await sendMails(1);
    await acceptRun(database, tenant, 1);
    await database.db
      .updateTable('delivery')
      .set({ prospect_id: prospectIds[0] ?? 0 })
      .where('state', '=', 'queued')
      .execute();
    await take(await threaded('Please call us.'));
    expect(await mails()).toMatchObject([{ state: 'sent' }, { state: 'cancelled', reason: 'replied' }]);
  });

  test('lawful 77: that asks for no more mails refuses for the address of its mail, and not again when lifted', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    const refusal = await threaded('今後このようなメールは送らないでください。\n\n> 配信停止');
    expect(await take(refusal)).toBe('reply');
    expect(await suppressions()).toStrictEqual([{ value: FIRST, class: 'refused', source: 'reply', reason: '' }]);
    expect(await answers()).toMatchObject([{ kind: 'reply', is_refusal: true, handled_at: null }]);
    const unsettled = database.db.selectFrom('suppression').select('id').where('cancels_mails', '=', true);
    expect(await unsettled.execute()).toStrictEqual([]);
    await database.db.deleteFrom('suppression').execute();
    expect(await take(refusal)).toBe('reply');
    expect(await suppressions()).toStrictEqual([]);
  });

  test('lawful 77: with the words in its quotation alone refuses nothing', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    await take(await threaded('資料をください。\n\n> 配信停止はこちら'));
    expect(await suppressions()).toStrictEqual([]);
    expect(await answers()).toMatchObject([{ is_refusal: false }]);
  });

  test('of a robot with such words refuses nothing', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    await take(await threaded('配信停止はこちら', [['Auto-Submitted', 'auto-replied']]));
    expect(await suppressions()).toStrictEqual([]);
    expect(await answers()).toMatchObject([{ kind: 'auto_reply', is_refusal: false }]);
  });

  test('of our own side with such words refuses nothing', async () => {
    await database.db.updateTable('sender_profile').set({ bcc: 'info@midori.example' }).execute();
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    expect(await take(await threaded('送らないでください'))).toBe('ignored');
    expect(await suppressions()).toStrictEqual([]);
  });

  test('of an erased person is not stored, and what it refuses is kept as a hash', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    await database.db
      .updateTable('delivery')
      .set({ mail_to: null, erased_hash: Buffer.from('x') })
      .execute();
    expect(await take(await threaded('資料をください'))).toBe('ignored');
    expect(await take(await threaded('配信停止', [['X-Two', '2']]))).toBe('reply');
    expect(await answers()).toStrictEqual([]);
    const hashes = database.db.selectFrom('suppression_hash').select(['class', 'source']);
    expect(await hashes.execute()).toStrictEqual([{ class: 'refused', source: 'reply' }]);
  });

  test.each([
    ['an answer', async () => threaded('資料をください')],
    ['an answer that refuses', async () => threaded('送らないでください')],
    ['a bounce', async () => dsnMail({ key: await keyOf(0), groups: [hard(FIRST)] })],
  ])('that is taken while its person is erased keeps nothing of theirs: %s', async (_, mailOf) => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    const raw = await mailOf();
    const eraser = await database.service.pool.connect();
    try {
      await eraser.query('BEGIN');
      await eraser.query(`SELECT FROM delivery FOR UPDATE`);
      const taken = take(raw);
      await untilBlocked(database);
      await eraser.query(`UPDATE delivery SET mail_to = NULL, smtp_reply = NULL, erased_hash = '\\x00'`);
      await eraser.query('COMMIT');
      await taken;
    } finally {
      eraser.release();
    }
    expect([await answers(), await bounces(), await suppressions()]).toStrictEqual([[], [], []]);
    expect(await mails()).toMatchObject([{ smtp_reply: null }]);
  });

  test('of a robot is stored as such', async () => {
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    expect(await take(await threaded('Away.', [['Auto-Submitted', 'auto-replied']]))).toBe('auto_reply');
    expect(await answers()).toMatchObject([{ kind: 'auto_reply' }]);
  });

  test.each([
    ['of our own side', 'info@midori.example', false],
    ['to a test mail', 'boss@kaitaku.example', true],
  ])('%s is none', async (_, bcc, isTest) => {
    await database.db.updateTable('sender_profile').set({ bcc }).execute();
    await acceptRun(database, tenant, 1, { test: isTest });
    await sendMails(1);
    expect(await take(await threaded('x'))).toBe('ignored');
    expect(await answers()).toStrictEqual([]);
  });

  test('lawful 18: changes the account of its mail alone', async () => {
    const other = await addTenant(database.db);
    await acceptRun(database, tenant, 1);
    await sendMails(1);
    await take(await threaded('x'));
    expect((await answers()).map(({ account_id }) => account_id)).toStrictEqual([tenant.accountId]);
    expect(other.accountId).not.toBe(tenant.accountId);
  });
});
