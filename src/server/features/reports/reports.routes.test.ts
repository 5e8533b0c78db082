import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '#domain/time-units.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { complaintMail, dsnMail, postfixGroup, RETURN_PATTERN, replyMail } from '#test/inbox-mails.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, finishDeliveries, markSending } from '#test/sending.ts';
import { readInboxMail } from '../inbox/read-mail.ts';
import { takeMail } from '../inbox/take-mail.command.ts';
import { refuseMail, undoRefusal } from '../opt-out/link.command.ts';

import { foldChanges } from './report-sums.command.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
});

const today = async () => {
  const { rows } = await sql<{ day: string }>`
    SELECT to_char(now() AT TIME ZONE 'Asia/Tokyo', 'YYYY-MM-DD') AS day`.execute(database.db);
  return rows[0]?.day ?? '';
};
const view = (query: Readonly<Record<string, string>>) => client.get(`/report/view?${new URLSearchParams(query)}`);
/** The figures of the last two days: a test may run over midnight. */
const total = async (query: Readonly<Record<string, string>> = {}) => {
  const to = await today();
  const from = new Date(Date.parse(to) - 86_400_000).toISOString().slice(0, 10);
  return ((await view({ from, to, ...query })).body as { total: { replied_by_hand: number } }).total;
};
const figures = async () => {
  const { replied_by_hand: _byHand, ...sums } = await total();
  return sums;
};

async function sendMails(count: number, test = false) {
  const run = await acceptRun(database, tenant, count, { test });
  const claims = await claimMails(database, { rows: count });
  await markSending(database.service.db, claims);
  const outcome = { kind: 'sent', reply: '250 OK' } as const;
  await finishDeliveries(
    database.service.db,
    claims.map((claim) => ({ claim, outcome })),
  );
  return run;
}

async function keyOf(n: number): Promise<string> {
  const rows = await database.db.selectFrom('delivery').select('mail_key').orderBy('id').execute();
  return rows[n]?.mail_key?.replaceAll('-', '') ?? expect.unreachable();
}

const parts = () => {
  const accountDb = accountDbOf(database.service.db);
  return { db: database.service.db, login: database.login, now: Date.now, accountDb };
};
const take = async (raw: Buffer) =>
  takeMail(parts(), await readInboxMail(raw, RETURN_PATTERN), () => expect.unreachable());

const ENDED = { sent: 0, failed: 0, unknown: 0, replied: 0, refused: 0 };
const NONE = { ...ENDED, complained: 0, dead: 0 };

describe('what is compared with the targets', () => {
  /** @param ageMs the time from the mails to the look */
  async function judgedAfter(ageMs: number): Promise<object> {
    const later = await clientOf(database, tenant.accountId, () => Date.now() + ageMs);
    const to = await today();
    const from = new Date(Date.parse(to) - DAY_MS).toISOString().slice(0, 10);
    return ((await later.get(`/report/view?${new URLSearchParams({ from, to })}`)).body as { judged: object }).judged;
  }

  test('mails of three days ago and longer, whether folded or not', async () => {
    await sendMails(20);
    expect(await judgedAfter(3 * DAY_MS - 2 * HOUR_MS)).toStrictEqual({ ...NONE, is_enough: 0 });
    expect(await judgedAfter(3 * DAY_MS + HOUR_MS)).toStrictEqual({ ...NONE, sent: 20, is_enough: 1 });
    await foldChanges(database.service.db);
    expect(await judgedAfter(3 * DAY_MS + HOUR_MS)).toStrictEqual({ ...NONE, sent: 20, is_enough: 1 });
  });

  test('fewer than 20 of them are not enough', async () => {
    await sendMails(19);
    expect(await judgedAfter(4 * DAY_MS)).toStrictEqual({ ...NONE, sent: 19, is_enough: 0 });
  });
});

describe('the figures follow', () => {
  test('real mails, but no tests', async () => {
    await sendMails(3);
    await sendMails(2, true);
    expect(await figures()).toStrictEqual({ ...NONE, sent: 3 });
    expect(await foldChanges(database.service.db)).toBe(true);
    expect(await foldChanges(database.service.db)).toBe(false);
    expect(await figures()).toStrictEqual({ ...NONE, sent: 3 });
  });

  test('a late bounce, a reply, a complaint and a refusal with its undoing, each once', async () => {
    await sendMails(5);
    await foldChanges(database.service.db);
    for (let round = 0; round < 2; round += 1) {
      const group = postfixGroup('info0@a.example', '5.1.1', 'smtp; 550 5.1.1 User unknown');
      await take(dsnMail({ key: await keyOf(0), groups: [group] }));
      await take(replyMail('はい', [['X-Original-To', `b-${await keyOf(1)}@bounce.kaitaku.example`]]));
      await take(complaintMail('abuse', `List-Unsubscribe: <https://k.example/u/${await keyOf(2)}>`));
      await refuseMail(parts(), await keyOf(3), { source: 'link', wholeDomain: false, reason: null });
      await refuseMail(parts(), await keyOf(4), { source: 'one_click', wholeDomain: false, reason: null });
    }
    const all = { ...NONE, sent: 4, failed: 1, replied: 1, refused: 2, complained: 1, dead: 1 };
    expect(await figures()).toStrictEqual(all);
    await undoRefusal(parts(), await keyOf(3));
    expect(await figures()).toStrictEqual({ ...all, refused: 1 });
  });

  test('say how many of the answered mails only members have recorded', async () => {
    const { id, prospectIds } = await sendMails(3);
    const note = (prospect_id: number | undefined) => client.post('/reply', { add_info: { prospect_id } });
    for (const prospectId of prospectIds.slice(0, 2)) expect(await note(prospectId)).toMatchObject({ status: 200 });
    const ofRun = async () => (await client.get(`/send_log/${id}`)).body;
    expect([await total(), await ofRun()]).toMatchObject(Array(2).fill({ replied: 2, replied_by_hand: 2 }));

    // A reply that was received says more than the note about it.
    await take(replyMail('はい', [['X-Original-To', `b-${await keyOf(0)}@bounce.kaitaku.example`]]));
    expect([await total(), await ofRun()]).toMatchObject(Array(2).fill({ replied: 2, replied_by_hand: 1 }));
    const others = [{ sender_group_id: '999' }, { from: '2020-01-01', to: '2020-01-02' }];
    for (const query of others) expect(await total(query)).toMatchObject({ replied_by_hand: 0 });
    const stranger = await clientOf(database, (await addTenant(database.db)).accountId);
    const to = await today();
    const { body } = await stranger.get(`/report/view?from=2026-01-01&to=${to}`);
    expect(body).toMatchObject({ total: { replied_by_hand: 0 } });
  });

  test('and stay when the person is erased', async () => {
    await sendMails(1);
    await refuseMail(parts(), await keyOf(0), { source: 'link', wholeDomain: false, reason: null });
    const answer = await client.post('/personal_data/erase', { email: 'info0@a.example', record_refusal: 1 });
    expect(answer.status).toBe(200);
    expect(await figures()).toStrictEqual({ ...NONE, sent: 1, refused: 1 });
  });
});

test('the period before is as long, or as asked', async () => {
  expect((await view({ from: '2026-11-01', to: '2026-11-23' })).body).toMatchObject({
    before_from: '2026-10-09',
    before_to: '2026-10-31',
  });
  const asked = { before_from: '2026-10-01', before_to: '2026-10-23' };
  expect((await view({ from: '2026-11-01', to: '2026-11-23', ...asked })).body).toMatchObject(asked);
});

test.each([
  { from: '2026-11-02', to: '2026-11-01' },
  { from: '2025-11-01', to: '2026-11-02' },
  { from: '2026-11-02', to: '2026-11-03', before_from: '2026-11-01', before_to: '2026-11-02' },
  { from: '2026-11-02', to: '2026-11-03', before_from: '2026-10-02' },
])('refuses the period $from to $to', async (period) => {
  expect(await view(period)).toMatchObject({ status: 400, body: { code: 'invalid_period' } });
});

test('the results of a run by time, in steps that fit how long it took', async () => {
  await sendMails(4);
  const { id: run } = await database.db.selectFrom('send_log').select('id').executeTakeFirstOrThrow();
  const spread = (times: readonly string[]) =>
    sql`
    UPDATE delivery SET finished_at = (${times}::timestamptz[])[row_index + 1] WHERE send_log_id = ${run}`.execute(
      database.db,
    );
  await take(replyMail('はい', [['X-Original-To', `b-${await keyOf(1)}@bounce.kaitaku.example`]]));
  const view = async () => (await client.get(`/send_log/${run}/results`)).body;
  const [first, second] = [
    { ...ENDED, sent: 3, replied: 1 },
    { ...ENDED, sent: 1 },
  ];

  await spread(['2026-11-20T00:00:00Z', '2026-11-20T00:00:59.9Z', '2026-11-20T00:00:30Z', '2026-11-20T00:02:00Z']);
  expect(await view()).toStrictEqual({
    step_minutes: 1,
    times: [
      { at: '2026/11/20 09:00:00', ...first },
      { at: '2026/11/20 09:02:00', ...second },
    ],
  });
  await spread(['2026-11-19T15:00:00Z', '2026-11-20T14:59:59Z', '2026-11-20T03:00:00Z', '2026-11-24T15:00:00Z']);
  expect(await view()).toStrictEqual({
    step_minutes: 1440,
    times: [
      { at: '2026/11/20 00:00:00', ...first },
      { at: '2026/11/25 00:00:00', ...second },
    ],
  });
});
