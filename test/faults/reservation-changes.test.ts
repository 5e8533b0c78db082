import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { addDays, skipWeekend } from '#domain/time/calendar.ts';
import { dayOf, instantOf } from '#domain/time/tokyo-time.ts';
import type { Client } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { switchOffNoticeMails } from '#test/notices.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addSender, addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';
import { brokenReservations } from '#test/reservations.ts';
import { eventually, testSink } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { form } from './form.ts';
import { judge } from './truth.ts';
import { startWeb, startWorker, untilSettledByRetries, untilStarted } from './workers.ts';

/**
 * Members change, merge and delete reservations through two web processes, at the same time as workers start the due
 * ones. Each round has its own group; all rounds of a test run in parallel.
 */

let database: TestDatabase;
let tenant: Tenant;
let sink: SmtpSink;
let webs: readonly Client[];

/** The time in ms from making a reservation until it is due. */
const DUE_IN_MS = 3000;
const COMPANIES = 3;

interface Round extends Tenant {
  readonly ids: readonly number[];
  readonly id: number;
}

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  await switchOffNoticeMails(database.db, tenant);
  sink = await testSink();
  webs = (await Promise.all([0, 1].map(() => startWeb(database.url, sink.port, database, tenant.accountId)))).map(
    ({ client }) => client,
  );
});

async function startWorkers(): Promise<void> {
  await untilStarted(...[0, 1].map(() => startWorker(database.url, sink.port)));
}

async function addRound(n: number): Promise<Round> {
  const senderGroupId = await addSenderGroup(database.db, tenant.accountId);
  const own = { ...tenant, senderGroupId, senderId: await addSender(database.db, { ...tenant, senderGroupId }) };
  const companies = Array.from({ length: COMPANIES }, (_, at) => ({ company_email: `info${at}@round${n}.example` }));
  const ids = await addProspects(database.db, tenant.accountId, companies);
  return {
    ...own,
    ids,
    id: await addReservation(database.db, own, ids, { sendAt: new Date(Date.now() + 86_400_000) }),
  };
}

const rounds = () => Array.fromAsync({ length: form.races }, (_, n) => addRound(n));

/** A weekday at 10:00, which can be reserved on every day of the tests. */
const DAY = skipWeekend(addDays(dayOf(Date.now()), 7));
const LATER = `${DAY.replaceAll('-', '/')} 10:00:00`;

const web = (n: number): Client => webs[n % 2] as Client;
const change = (n: number, { id }: Round, body: object) => web(n).put(`/reservation/${id}`, { version: 1, ...body });
const outcome = ({ status, body }: { status: number; body: unknown }): string =>
  status === 200 ? 'done' : (body as { code: string }).code;

/** Returns the companies that received a round's mails, with repetitions. */
async function mailed({ senderGroupId }: Round): Promise<(number | null)[]> {
  const rows = await database.db
    .selectFrom('delivery')
    .select('prospect_id')
    .where('sender_group_id', '=', senderGroupId)
    .where('state', '=', 'sent')
    .orderBy('prospect_id')
    .execute();
  return rows.map(({ prospect_id }) => prospect_id);
}

const started = async ({ senderGroupId }: Round): Promise<number> =>
  (await database.db.selectFrom('send_log').select('id').where('sender_group_id', '=', senderGroupId).execute()).length;

/** Returns what members did with a reservation, oldest first. */
async function history(id: number): Promise<string[]> {
  const { body } = await web(0).get(`/reservation/${id}`);
  const { history: events } = body as { history: { kind: string; changes: object }[] };
  return events.map(({ kind, changes }) => [kind, ...Object.keys(changes)].join(' ')).toReversed();
}

/** Waits until all due reservations have started and their mails were sent, and compares them with the sink. */
async function settle(): Promise<void> {
  const due = () =>
    database.db
      .selectFrom('reservation')
      .select('id')
      .where('active', '=', true)
      .where('is_sent', '=', false)
      .where('send_at', '<=', new Date())
      .execute();
  await eventually(due, ({ length }) => length === 0, 120_000);
  await untilSettledByRetries(database, 120_000);
  const { wrong } = await judge(
    database.db,
    sink.mails.map(({ messageId }) => messageId),
  );
  expect(wrong).toStrictEqual([]);
  expect(await brokenReservations(database.db)).toStrictEqual([]);
}

/** Makes all rounds due soon, at one moment. @returns that moment */
async function fallDue(all: readonly Round[]): Promise<number> {
  const due = Date.now() + DUE_IN_MS;
  const ids = all.map(({ id }) => id);
  await database.db
    .updateTable('reservation')
    .set({ send_at: new Date(due) })
    .where('id', 'in', ids)
    .execute();
  return due;
}

/**
 * Waits for the moment of a round's change: random, around the due time. The first is certainly before it, the last
 * after the start.
 */
async function momentOf(n: number, round: Round, { random, due }: { random: () => number; due: number }) {
  if (n === 0) return;
  if (n < form.races - 1) await sleep(Math.max(0, due - Date.now() + (random() - 0.3) * 1500));
  else await eventually(() => started(round), Boolean, 120_000);
}

/** Expects that some changes came before the start, and some after it. */
const expectBoth = (seen: readonly string[]) =>
  expect(new Set(seen)).toStrictEqual(new Set(['done', 'reservation_started']));

test(`${form.races} changes while two workers start due reservations: either the change or the start wins (seed ${form.seed})`, async () => {
  await startWorkers();
  const random = form.random();
  const all = await rounds();
  const due = await fallDue(all);
  const seen = await Promise.all(
    all.map(async (round, n) => {
      await momentOf(n, round, { random, due });
      return outcome(
        await change(n, round, { update_info: { send_at: LATER, remove_prospect_ids: round.ids.slice(0, 1) } }),
      );
    }),
  );
  await settle();
  expectBoth(seen);
  for (const [n, round] of all.entries()) {
    const isChanged = seen[n] === 'done';
    expect([n, await mailed(round)]).toStrictEqual([n, isChanged ? [] : round.ids]);
    expect(await history(round.id)).toStrictEqual([isChanged ? 'changed send_at removed' : 'started']);
  }
});

test(`${form.races} pairs of simultaneous changes: the later one gets a conflict that names the first`, async () => {
  const all = await rounds();
  for (const round of all) {
    const answers = await Promise.all([
      change(0, round, { update_info: { send_at: LATER } }),
      change(1, round, { update_info: { remove_prospect_ids: round.ids.slice(0, 1) } }),
    ]);
    expect(answers.map(outcome).toSorted()).toStrictEqual(['done', 'reservation_changed']);
    expect(await history(round.id)).toStrictEqual([
      outcome(answers[0] ?? expect.unreachable()) === 'done' ? 'changed send_at' : 'changed removed',
    ]);
  }
});

test(`${form.races} changes during a deletion: the reservation stays deleted, and its companies are free`, async () => {
  const all = await rounds();
  for (const round of all) {
    const [changed, deleted] = await Promise.all([
      change(0, round, { update_info: { send_at: LATER } }),
      web(1).put(`/reservation/${round.id}`, { update_info: { active: 0 } }),
    ]);
    expect(outcome(deleted)).toBe('done');
    expect(['done', 'reservation_changed']).toContain(outcome(changed));
    expect((await history(round.id)).at(-1)).toBe('deleted');
    const { body } = await web(0).get(`/reservation/${round.id}`);
    expect(body).toMatchObject({ state: 'deleted' });
  }
  expect(await brokenReservations(database.db)).toStrictEqual([]);
});

test(`${form.races} merges while the moved reservation becomes due: its companies are mailed, or are in the other one (seed ${form.seed})`, async () => {
  await startWorkers();
  const random = form.random();
  const all = await rounds();
  const others = await Promise.all(
    all.map(async (round, n) => {
      const ids = await addProspects(database.db, tenant.accountId, [{ company_email: `other@round${n}.example` }]);
      const sendAt = new Date(instantOf(DAY, 10 * 60));
      return { id: await addReservation(database.db, round, ids, { sendAt }), ids };
    }),
  );
  const due = await fallDue(all);
  const seen = await Promise.all(
    all.map(async (round, n) => {
      await momentOf(n, round, { random, due });
      return outcome(await change(n, round, { update_info: { send_at: LATER }, merge: 1 }));
    }),
  );
  await settle();
  expectBoth(seen);
  for (const [n, round] of all.entries()) {
    const isMerged = seen[n] === 'done';
    const other = others[n] ?? expect.unreachable();
    const rows = await database.db
      .selectFrom('reservation_target')
      .select('prospect_id')
      .where('reservation_id', '=', other.id)
      .where('pending', '=', true)
      .orderBy('prospect_id')
      .execute();
    const reserved = [...(isMerged ? round.ids : []), ...other.ids];
    expect([n, rows.map(({ prospect_id }) => prospect_id)]).toStrictEqual([n, reserved]);
    expect([n, await mailed(round), await started(round)]).toStrictEqual([
      n,
      isMerged ? [] : round.ids,
      isMerged ? 0 : 1,
    ]);
    expect((await history(round.id)).at(-1)).toBe(isMerged ? 'changed send_at merged_into' : 'started');
  }
});
