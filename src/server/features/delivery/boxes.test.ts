import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseDateTime } from '#domain/time/tokyo-time.ts';
import { leaveBy, sendByBox } from '#test/box-sinks.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addSender, addTenant, addTextOf, profileOf, type Tenant } from '#test/prospects.ts';
import { testSecrets } from '#test/secrets.ts';
import {
  acceptRun,
  claimBoxMail,
  claimMails,
  countStates,
  finishDeliveries,
  markSending,
  unbalancedRuns,
  WORKER_A,
  WORKER_B,
} from '#test/sending.ts';
import { runProgress } from '../runs/progress.queries.ts';
import { secondsUntilDue } from './claim/claim.queries.ts';
import type { Claim } from './leases/claim.ts';
import { queueFigures } from './queue-figures.queries.ts';

const HOST = 'mail.own.example';
const FROM = `person@${HOST}`;

let database: TestDatabase;
let tenant: Tenant;
let id: number;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  id = await sendByBox(database, tenant, HOST);
});

const setBox = (values: object) => database.db.updateTable('mailbox').set(values).where('id', '=', id).execute();
const setState = (values: object) =>
  database.db.updateTable('mailbox_state').set(values).where('mailbox_id', '=', id).execute();
const notes = () =>
  database.db
    .selectFrom('sender_due')
    .select(sql<number>`round(extract(epoch FROM due_at - now()) / 60)::integer`.as('minutes'))
    .orderBy('due_at')
    .execute();
const untilBoxDue = () => secondsUntilDue(database.service.db, undefined, testSecrets.keyIds);
/** Lets a mail end as sent, so that the mailbox is free again. */
const send = async (claims: readonly Claim[]) => {
  await markSending(database.db, claims);
  await finishDeliveries(
    database.db,
    claims.map((claim) => ({ claim, outcome: { kind: 'sent', reply: '250' } })),
  );
};
/** Makes the last minute and the pace of the profiles end. */
const minuteLater = async () => {
  await sql`UPDATE delivery SET finished_at = finished_at - interval '1 minute' WHERE finished_at IS NOT NULL`.execute(
    database.db,
  );
  await sql`UPDATE sender_throttle SET next_at = now()`.execute(database.db);
};
const paceLater = () => sql`UPDATE sender_throttle SET next_at = now()`.execute(database.db);

describe('rule 1: a mail of a mailbox', () => {
  test('is claimed for it, and never for the mail server of the environment', async () => {
    await acceptRun(database, tenant, 3);
    expect(await claimMails(database)).toStrictEqual([]);
    expect(await secondsUntilDue(database.service.db, undefined)).toBe(Infinity);
    expect(await untilBoxDue()).toBeLessThanOrEqual(0);
    expect(await claimBoxMail(database)).toMatchObject([
      { box: { accountId: tenant.accountId, id, version: 1, address: FROM, ids: 'unknown' } },
    ]);
  });

  test('without a mailbox is claimed for the mail server of the environment alone', async () => {
    await leaveBy(database, tenant, null, 'sender@example.com');
    await acceptRun(database, tenant, 1);
    expect(await claimBoxMail(database)).toStrictEqual([]);
    expect(await untilBoxDue()).toBe(Infinity);
    expect(await claimMails(database)).toMatchObject([{ box: null }]);
  });

  test.each([
    ['is not checked', { state: 'unchecked' }, {}],
    ['must be connected again', { state: 'reconnect' }, {}],
    ['is off', { state: 'off' }, {}],
    ['is paused', {}, { paused_until: new Date(Date.now() + 90_000) }],
    ['takes refusals and was never read', { takes_refusals: true }, {}],
    ['takes refusals and was read 61 minutes ago', { takes_refusals: true }, { read_at: minutesAgo(61) }],
  ])('waits while the mailbox %s', async (_, box, state) => {
    await acceptRun(database, tenant, 1);
    if (Object.keys(box).length > 0) await setBox(box);
    if (Object.keys(state).length > 0) await setState(state);
    expect(await claimBoxMail(database)).toStrictEqual([]);
    expect(await countStates(database.db)).toStrictEqual({ queued: 1 });
  });

  test.each([
    ['its pause is over', {}, { paused_until: minutesAgo(1) }],
    ['it takes refusals and was read 59 minutes ago', { takes_refusals: true }, { read_at: minutesAgo(59) }],
  ])('is claimed where %s', async (_, box, state) => {
    await acceptRun(database, tenant, 1);
    if (Object.keys(box).length > 0) await setBox(box);
    await setState(state);
    expect(await claimBoxMail(database)).toHaveLength(1);
  });

  test('whose key is unknown here is left alone, with its notes', async () => {
    await acceptRun(database, tenant, 1);
    expect(await secondsUntilDue(database.service.db, undefined, [])).toBe(Infinity);
    expect(await claimBoxMail(database, { keys: [1] })).toStrictEqual([]);
    expect(await notes()).toHaveLength(1);
    expect(await claimBoxMail(database)).toHaveLength(1);
  });

  test('of a frozen account waits', async () => {
    await acceptRun(database, tenant, 1);
    await database.db.updateTable('account').set({ frozen_at: new Date() }).execute();
    expect(await untilBoxDue()).toBe(Infinity);
    expect(await claimBoxMail(database)).toStrictEqual([]);
  });
});

function minutesAgo(minutes: number): Date {
  return new Date(Date.now() - minutes * 60_000);
}

describe('rule 2: a mailbox has one mail at a time', () => {
  test('in a worker', async () => {
    await acceptRun(database, tenant, 3);
    const first = await claimBoxMail(database);
    await paceLater();
    expect(await claimBoxMail(database)).toStrictEqual([]);
    await send(first);
    await paceLater();
    expect(await claimBoxMail(database)).toHaveLength(1);
  });

  test('and one connection over all workers, until the share of the first ends', async () => {
    await acceptRun(database, tenant, 3);
    await send(await claimBoxMail(database, { workerId: WORKER_A }));
    await paceLater();
    expect(await claimBoxMail(database, { workerId: WORKER_B })).toStrictEqual([]);
    await sql`UPDATE sender_connection SET lease_until = now() - interval '1 second'`.execute(database.db);
    expect(await claimBoxMail(database, { workerId: WORKER_B })).toHaveLength(1);
    expect(await claimBoxMail(database, { workerId: WORKER_A })).toStrictEqual([]);
  });

  test('also if two workers claim for two of its profiles at the same moment', async () => {
    const other = { ...tenant, senderId: await addSender(database.db, tenant) };
    await leaveBy(database, other, id, FROM);
    for (let round = 0; round < 5; round += 1) {
      await acceptRun(database, tenant, 2, { domain: `a${round}.example` });
      await acceptRun(database, other, 2, { domain: `b${round}.example` });
      const claims = await Promise.all(
        [WORKER_A, WORKER_B, WORKER_A, WORKER_B].map((workerId) => claimBoxMail(database, { workerId })),
      );
      expect(claims.flat()).toHaveLength(1);
      await send(claims.flat());
      await minuteLater();
      await sql`DELETE FROM sender_connection`.execute(database.db);
    }
  });

  test('whose profiles take turns', async () => {
    const other = { ...tenant, senderId: await addSender(database.db, tenant) };
    await leaveBy(database, other, id, FROM);
    await acceptRun(database, tenant, 4);
    await acceptRun(database, other, 4, { domain: 'b.example' });
    const senders: (number | undefined)[] = [];
    for (let n = 0; n < 6; n += 1) {
      const claims = await claimBoxMail(database);
      senders.push(claims[0]?.senderId);
      await send(claims);
      // Both are due, in their order.
      await sql`UPDATE sender_throttle SET next_at = next_at - interval '1 hour'`.execute(database.db);
    }
    expect(senders.filter((one) => one === tenant.senderId)).toHaveLength(3);
    expect(senders.filter((one) => one === other.senderId)).toHaveLength(3);
    expect(senders[0]).not.toBe(senders[1]);
  });

  test('at most its mails of a minute, over all its profiles', async () => {
    const other = { ...tenant, senderId: await addSender(database.db, tenant) };
    await leaveBy(database, other, id, FROM);
    await setBox({ per_minute: 2 });
    await acceptRun(database, tenant, 2);
    await acceptRun(database, other, 2, { domain: 'b.example' });
    for (let n = 0; n < 2; n += 1) {
      await send(await claimBoxMail(database));
      await paceLater();
    }
    expect(await claimBoxMail(database)).toStrictEqual([]);
    await minuteLater();
    expect(await claimBoxMail(database)).toHaveLength(1);
  });

  test('and its profile keeps to its own pace, whatever the others send', async () => {
    const other = { ...tenant, senderId: await addSender(database.db, tenant) };
    await leaveBy(database, other, id, FROM);
    await sql`UPDATE sender_throttle SET mails_per_minute = 1 WHERE profile_id = (
      SELECT profile_id FROM sender WHERE id = ${tenant.senderId})`.execute(database.db);
    await acceptRun(database, other, 5, { domain: 'b.example' });
    for (let n = 0; n < 3; n += 1) {
      await send(await claimBoxMail(database));
      await paceLater();
    }
    await acceptRun(database, tenant, 3);
    await sql`UPDATE sender_throttle SET mails_per_minute = 1, next_at = now() - interval '1 hour'
      WHERE profile_id = (SELECT profile_id FROM sender WHERE id = ${tenant.senderId})`.execute(database.db);
    const first = await claimBoxMail(database);
    expect(first).toMatchObject([{ senderId: tenant.senderId }]);
    await send(first);
    await paceLater();
    expect(await claimBoxMail(database)).toMatchObject([{ senderId: other.senderId }]);
  });

  test('and paces itself without a pace of the profile', async () => {
    await setBox({ per_minute: 20 });
    await acceptRun(database, tenant, 2);
    await claimBoxMail(database);
    const { rows } = await sql<{ seconds: number }>`
      SELECT extract(epoch FROM next_at - now())::double precision AS seconds FROM sender_throttle`.execute(
      database.db,
    );
    expect(rows[0]?.seconds).toBeGreaterThan(1.4);
    expect(rows[0]?.seconds).toBeLessThan(3.2);
  });

  test('and at most its mails of a day, over all its profiles: the rest waits for the next open day', async () => {
    const other = { ...tenant, senderId: await addSender(database.db, tenant) };
    await leaveBy(database, other, id, FROM);
    await setBox({ per_day: 2 });
    await acceptRun(database, tenant, 1);
    await acceptRun(database, other, 3, { domain: 'b.example' });
    for (let n = 0; n < 2; n += 1) {
      await send(await claimBoxMail(database));
      await paceLater();
    }
    expect(await claimBoxMail(database)).toStrictEqual([]);
    const waiting = await database.db
      .selectFrom('delivery')
      .select(['put_off', sql<boolean>`not_before > now()`.as('later')])
      .where('state', '=', 'queued')
      .execute();
    expect(waiting).toStrictEqual([
      { put_off: 'limit', later: true },
      { put_off: 'limit', later: true },
    ]);
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  });

  test.each([
    ['メールボックスの1日の上限', { box: 2, profile: 3, account: 3 }],
    ['差出人の1日の上限', { box: 3, profile: 2, account: 3 }],
    ['アカウント全体の1日の上限', { box: 3, profile: 3, account: 2 }],
  ])('and a run names the lowest limit that is used up: %s', async (reason, { box, profile, account }) => {
    const { accountId: account_id } = tenant;
    await setBox({ per_day: box });
    const profile_id = await profileOf(database.db, tenant.senderId);
    await database.db.insertInto('sender_limit').values({ account_id, profile_id, per_day: profile }).execute();
    await database.db
      .insertInto('account_rule')
      .values({ account_id, per_day: account, undo_seconds: 0 })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ per_day: account, undo_seconds: 0 }))
      .execute();
    const { id: runId } = await acceptRun(database, tenant, 3);
    const run = () => runProgress(database.service.db, account_id, runId, Date.now());
    // The mails of a day are more than those of the mailbox.
    if (box === 2) expect((await run())?.estimated_end_at).toBeNull();
    for (let n = 0; n < 2; n += 1) {
      await send(await claimBoxMail(database));
      await paceLater();
    }
    expect(await claimBoxMail(database)).toStrictEqual([]);
    expect(await run()).toMatchObject({ put_off_by: 'limit', put_off_reason: reason });
  });
});

describe('rule 3: the mail server of the environment', () => {
  test('may be down: mails of mailboxes leave', async () => {
    await sql`UPDATE transport SET paused_until = now() + interval '10 minutes', faults = 9`.execute(database.db);
    await acceptRun(database, tenant, 1);
    expect(await untilBoxDue()).toBeLessThanOrEqual(0);
    expect(await claimBoxMail(database)).toHaveLength(1);
  });

  test('limits a profile no more once its mails leave by a mailbox', async () => {
    await acceptRun(database, tenant, 1);
    await sql`UPDATE sender_throttle SET limited_since = now(), limited_until = now() + interval '1 hour',
      probe_at = now() + interval '1 hour'`.execute(database.db);
    expect(await claimBoxMail(database)).toMatchObject([{ isLimitProbe: false }]);
  });

  test('waits as mailboxes do while the database was set back', async () => {
    await acceptRun(database, tenant, 1);
    await database.db.updateTable('installation').set({ rewound_at: new Date() }).execute();
    expect(await untilBoxDue()).toBe(Infinity);
    await expect(claimBoxMail(database)).rejects.toThrow('no claim: paused');
  });
});

describe('rule 8: a claim that finds no mail', () => {
  test.each([
    ['by one at the end of the pause', {}, { paused_until: sql`now() + interval '5 minutes'` }, [{ minutes: 5 }]],
    ['by none if only a person can end it', { state: 'reconnect' }, {}, []],
    ['by one at the next look into a mailbox that must be read', { takes_refusals: true }, {}, [{ minutes: 10 }]],
  ])('replaces due notes %s', async (_, box, state, expected) => {
    await acceptRun(database, tenant, 2);
    await acceptRun(database, tenant, 2);
    if (Object.keys(box).length > 0) await setBox(box);
    if (Object.keys(state).length > 0) await setState(state);
    expect(await claimBoxMail(database)).toStrictEqual([]);
    expect(await notes()).toStrictEqual(expected);
    expect(await untilBoxDue()).toBeGreaterThan(200);
  });

  test('leaves those of another mailbox, and of the mail server of the environment', async () => {
    const other = await addTenant(database.db);
    const relays = await addTenant(database.db);
    await sendByBox(database, other, 'other.example');
    await acceptRun(database, tenant, 1);
    await acceptRun(database, other, 1);
    await acceptRun(database, relays, 1);
    await setBox({ state: 'reconnect' });
    await send(await claimBoxMail(database));
    expect(await claimBoxMail(database)).toStrictEqual([]);
    const senders = await database.db.selectFrom('sender_due').select('sender_id').orderBy('sender_id').execute();
    expect(senders).toStrictEqual([{ sender_id: other.senderId }, { sender_id: relays.senderId }]);
  });
});

describe('rule 9: a mail leaves by the mailbox of its profile at the claim', () => {
  test.each([
    ['real', false],
    ['test', true],
  ])('a %s mail from an address that it may not use is cancelled', async (_, isTest) => {
    await acceptRun(database, tenant, 2, { test: isTest });
    await setBox({ address: 'other@own.example' });
    expect(await claimBoxMail(database)).toStrictEqual([]);
    const ended = await database.db.selectFrom('delivery').select(['state', 'reason']).orderBy('id').execute();
    expect(ended[0]).toStrictEqual({ state: 'cancelled', reason: 'sender_unconfirmed' });
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  });

  test('one from a further address that a check proved is not', async () => {
    await acceptRun(database, tenant, 1);
    await setBox({ address: 'other@own.example', other_from: [FROM] });
    expect(await claimBoxMail(database)).toMatchObject([{ box: { address: 'other@own.example' } }]);
  });

  test('it needs no confirmed address', async () => {
    await acceptRun(database, tenant, 1);
    await database.db.deleteFrom('confirmed_address').execute();
    expect(await claimBoxMail(database)).toHaveLength(1);
  });

  test('without a mailbox it needs one, even if it left by a mailbox at acceptance', async () => {
    await acceptRun(database, tenant, 1);
    await leaveBy(database, tenant, null);
    expect(await claimMails(database)).toStrictEqual([]);
    expect(await countStates(database.db)).toStrictEqual({ cancelled: 1 });
  });

  test('texts of a profile share its mailbox', async () => {
    const second = await addTextOf(database.db, tenant);
    await acceptRun(database, second, 1);
    expect(await claimBoxMail(database)).toMatchObject([{ senderId: second.senderId, box: { id } }]);
  });
});

test('a gauge counts the mailboxes whose key a process lacks', async () => {
  const figures = async (keys?: readonly number[]) =>
    (await queueFigures(database.service.db, keys)).mailboxesWithoutKey;
  expect([await figures(testSecrets.keyIds), await figures([1]), await figures()]).toStrictEqual([0, 1, 1]);
});

describe('rule 5: a run says why its mails wait, and until when', () => {
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  const until = (state: { told_until?: Date }) => state.told_until?.getTime() ?? 0;
  const progress = async (runId: number) => runProgress(database.service.db, tenant.accountId, runId, Date.now());

  test.each([
    ['fault', {}, { why: 'fault', paused_until: inMinutes(2), told_until: inMinutes(2) }, 2],
    ['limited', {}, { why: 'limited', paused_until: inMinutes(15), told_until: inMinutes(60) }, 60],
    ['log_in', {}, { why: 'log_in', paused_until: inMinutes(1), told_until: inMinutes(1) }, 1],
    ['disconnected', { state: 'reconnect' }, {}, null],
    ['unread', { takes_refusals: true }, {}, null],
    [null, {}, { why: 'fault', paused_until: minutesAgo(1), told_until: minutesAgo(1) }, null],
  ] as const)('%s', async (wait, box, state, minutes) => {
    const { id: runId } = await acceptRun(database, tenant, 2);
    if (Object.keys(box).length > 0) await setBox(box);
    if (Object.keys(state).length > 0) await setState(state);
    const run = await progress(runId);
    expect(run?.mailbox_wait).toBe(wait);
    if (minutes === null) expect(run?.mailbox_until).toBeNull();
    else expect(parseDateTime(run?.mailbox_until ?? '') ?? 0).toBeCloseTo(until(state), -4);
  });

  test('and the pause of the mail server of the environment is none of its waits', async () => {
    const { id: runId } = await acceptRun(database, tenant, 2);
    await sql`UPDATE transport SET paused_until = now() + interval '10 minutes'`.execute(database.db);
    expect(await progress(runId)).toMatchObject({ transport_paused_until: null, mailbox_wait: null });
    await leaveBy(database, tenant, null);
    expect((await progress(runId))?.transport_paused_until).not.toBeNull();
  });
});
