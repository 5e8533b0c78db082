import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { beforeEach, describe, expect, test } from 'vitest';
import { addMember } from '#test/accounts.ts';
import { PUBLIC_URL } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addRefusals } from '#test/notices.ts';
import { addDelivery, addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { testSink } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { testMailer } from '#test/system-mail.ts';
import { mailNotices, makeNotices } from './notice-worker.ts';

/** 15:00 in Tokyo: no time for summaries. */
const AFTERNOON = Date.parse('2026-11-24T15:00:00+09:00');

let database: TestDatabase;
let tenant: Tenant;
let prospectId: number;
let sink: SmtpSink;
let now: number;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  [prospectId = 0] = await addProspects(database.db, tenant.accountId, [{ company_name: '株式会社みどり' }]);
  await addDelivery(database.db, tenant, prospectId, { state: 'sent' });
  await sql`UPDATE send_log SET ended_at = now()`.execute(database.db);
  await sql`DELETE FROM notice_event`.execute(database.db);
  sink = await testSink();
  now = AFTERNOON;
});

const log = { error: expect.unreachable, warn: () => {} };
/** Does what a worker does at each look. */
async function look(mailer = testMailer(sink)): Promise<void> {
  const { db } = database.service;
  await makeNotices(db);
  await mailNotices({ db, now: () => now, mailer, urlOf: () => PUBLIC_URL, log });
}

const mails = () => Promise.all(sink.mails.map(({ source }) => PostalMime.parse(source)));
const subjects = async () => (await mails()).map(({ subject }) => subject);

const tell = (kind: string, subject: number | null = null) =>
  database.db.insertInto('notice_event').values({ account_id: tenant.accountId, kind, subject_id: subject }).execute();

/** Lets time pass for the mails, which go by the database's clock. */
async function wait(minutes: number): Promise<void> {
  const past = sql<Date>`- make_interval(mins => ${minutes})`;
  await sql`
    UPDATE notice SET first_at = first_at + ${past}, mail_due_at = mail_due_at + ${past}, mailed_at = mailed_at + ${past}`.execute(
    database.db,
  );
  await sql`
    UPDATE notice_member SET mail_not_before = mail_not_before + ${past},
      mail_lease_until = mail_lease_until + ${past}`.execute(database.db);
}

test('a stop is mailed once, with what it is about and where it is set', async () => {
  await tell('stopped');
  await look();
  await look();
  expect(await subjects()).toStrictEqual(['【Kaitaku】送信が止まりました']);
  const [mail] = await mails();
  expect(mail?.text).toContain(`${PUBLIC_URL}/settings/notifications`);
});

test('an answer is mailed after five minutes, with the name of its company', async () => {
  await tell('reply', prospectId);
  await look();
  expect(await subjects()).toStrictEqual([]);
  await wait(5);
  await look();
  const [mail] = await mails();
  expect(mail?.text).toContain('■ 返信がありました\n・株式会社みどり\n');
});

test('a thousand opt-outs in an hour are one mail with their number', async () => {
  await addRefusals(database, tenant, 400);
  await look();
  await wait(30);
  await addRefusals(database, tenant, 600, 400);
  await look();
  expect(await subjects()).toStrictEqual([]);
  await wait(30);
  await look();
  expect(await subjects()).toStrictEqual(['【Kaitaku】配信停止の希望がありました（1000件）']);
  await wait(120);
  await look();
  expect(sink.mails).toHaveLength(1);
});

test('many stops are one mail at once, and one with the number of the rest an hour later', async () => {
  for (let n = 0; n < 20; n += 1) {
    await tell('stopped');
    await look();
    await wait(2);
  }
  expect(await subjects()).toStrictEqual(['【Kaitaku】送信が止まりました']);
  await wait(25);
  await look();
  expect((await subjects())[1]).toBe('【Kaitaku】送信が止まりました（19件）');
});

test('many notices that are read at once are still one mail an hour', async () => {
  for (let n = 0; n < 20; n += 1) {
    await tell('stopped');
    await look();
    if (n % 3 === 0) await sql`UPDATE notice SET read_at = now()`.execute(database.db);
    await wait(2);
  }
  expect(await subjects()).toStrictEqual(['【Kaitaku】送信が止まりました']);
});

test('several kinds that are due share a mail', async () => {
  for (const kind of ['stopped', 'domain_bad', 'reservation_missed']) await tell(kind);
  await look();
  expect(await subjects()).toStrictEqual([expect.stringContaining('、ほか2件')]);
});

test('each member gets a mail, whoever does not want it gets none, and four workers send one each', async () => {
  await addMember(database.db, tenant.accountId);
  const quiet = await addMember(database.db, tenant.accountId);
  await database.db
    .updateTable('notice_member')
    .set({ mail_off: ['stopped'] })
    .where('member_id', '=', quiet)
    .execute();
  const left = await addMember(database.db, tenant.accountId);
  await tell('stopped');
  await makeNotices(database.service.db);
  await database.db.updateTable('member').set({ active: false }).where('id', '=', left).execute();
  await Promise.all([look(), look(), look(), look()]);
  expect(new Set(sink.mails.map(({ to }) => to[0])).size).toBe(2);
  expect(sink.mails).toHaveLength(2);
});

describe('a mail', () => {
  test('that no server takes is tried again, and not lost', async () => {
    await tell('stopped');
    await tell('stopped');
    sink.fault = () => '421 later';
    await look();
    await look();
    expect(sink.mails).toHaveLength(0);
    sink.fault = () => null;
    await look();
    expect(sink.mails).toHaveLength(0);
    await wait(1);
    await look();
    expect(await subjects()).toStrictEqual(['【Kaitaku】送信が止まりました（2件）']);
  });

  test('that a server refuses for good is given up; the bell shows it', async () => {
    await tell('stopped');
    sink.fault = (moment) => (moment === 'RCPT' ? '550 5.1.1 no such user' : null);
    await look();
    sink.fault = () => null;
    await wait(600);
    await look();
    expect(sink.mails).toHaveLength(0);
    const { mail_due_at, mailing } = await database.db
      .selectFrom('notice')
      .select(['mail_due_at', 'mailing'])
      .executeTakeFirstOrThrow();
    expect({ mail_due_at, mailing }).toStrictEqual({ mail_due_at: null, mailing: null });
  });

  test('that may have arrived is sent once more', async () => {
    await tell('stopped');
    sink.fault = (moment) => (moment === 'dot' ? 'reset' : null);
    await look();
    sink.fault = () => null;
    for (const minutes of [0, 1, 600]) {
      await wait(minutes);
      await look();
    }
    expect(await subjects()).toStrictEqual(['【Kaitaku】送信が止まりました', '【Kaitaku】送信が止まりました']);
  });

  test('that may have arrived twice counts as told, however often a server had no time for it', async () => {
    await tell('stopped');
    for (const isLost of [false, true, false, false, true]) {
      sink.fault = (moment) => (isLost ? (moment === 'dot' ? 'reset' : null) : '421 later');
      await look();
      await wait(240);
    }
    sink.fault = () => null;
    await look();
    expect(sink.mails).toHaveLength(2);
    await tell('domain_bad');
    await look();
    const [, , next] = await mails();
    expect(next?.text).toContain('ドメインの設定に問題があります');
    expect(next?.text).not.toContain('送信が止まりました');
  });

  test('whose workers die again and again is given up some time', async () => {
    await tell('stopped');
    let tries = 0;
    const dying = async () => {
      tries += 1;
      throw new Error('the process dies');
    };
    while (tries < 9) {
      await expect(look(dying)).rejects.toThrow('the process dies');
      await wait(1);
      await look();
      await wait(240);
    }
    await look();
    expect(sink.mails).toHaveLength(0);
    await tell('domain_bad');
    await look();
    expect(await subjects()).toStrictEqual([expect.stringContaining('ドメイン')]);
  });
});

describe('the morning summary', () => {
  const at = (time: string) => Date.parse(`2099-11-24T${time}+09:00`);

  beforeEach(async () => {
    await sql`UPDATE notice_member SET summary_on = '2099-11-23'`.execute(database.db);
    await sql`UPDATE delivery SET finished_at = '2099-11-23T23:59:59+09:00'`.execute(database.db);
  });

  test('leaves at 8 in Tokyo, once, by one of several workers', async () => {
    now = at('07:59:59');
    await look();
    expect(sink.mails).toHaveLength(0);
    now = at('08:00:00');
    const sendAt = new Date('2099-11-24T09:00:00+09:00');
    await addReservation(database.db, tenant, [prospectId], { sendAt });
    await Promise.all([look(), look(), look()]);
    now = at('08:01:00');
    await look();
    const [mail, ...others] = await mails();
    expect(others).toStrictEqual([]);
    expect(mail?.subject).toBe('【Kaitaku】11月24日(火)のまとめ');
    expect(mail?.text).toContain('・送信 1通（失敗 0通）\n・返信 0通\n・配信停止の希望 0件\n・本日の予約 1件');
  });

  test.each([
    ['of a day without anything', sql`UPDATE delivery SET finished_at = '2099-11-24T00:00:00+09:00'`],
    ['that is switched off', sql`UPDATE notice_member SET morning_summary = false`],
  ])('%s is not sent', async (_, change) => {
    await change.execute(database.db);
    now = at('08:00:00');
    await look();
    await look();
    expect(sink.mails).toHaveLength(0);
  });

  test('is not sent in the afternoon by a worker that starts late', async () => {
    now = at('12:00:00');
    await look();
    expect(sink.mails).toHaveLength(0);
  });

  test('that no server takes is tried again', async () => {
    now = at('08:00:00');
    sink.fault = () => '421 later';
    await look();
    sink.fault = () => null;
    await wait(1);
    await look();
    expect(await subjects()).toStrictEqual(['【Kaitaku】11月24日(火)のまとめ']);
  });
});
