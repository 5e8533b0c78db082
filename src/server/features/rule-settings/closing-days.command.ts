import { isDeepStrictEqual } from 'node:util';
import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import {
  addClosingDay as addCall,
  type importClosingDays as importCall,
  type addPresetDays as presetCall,
  type updateClosingDay as updateCall,
} from '#contract/senders/sending-rules-closing-days.ts';
import {
  CLOSING_DAYS_MAX,
  type ClosingDay,
  isClosingPeriod,
  MAX_CLOSING_DAYS,
  presetDays,
} from '#domain/sending/rules/closing-days.ts';
import { nextOpenTime } from '#domain/sending/sending-hours.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile } from '../../platform/database/content-version.ts';
import { createOnce } from '../../platform/database/create-once.ts';
import type { Tx } from '../../platform/database/db.ts';
import { insertRows } from '../../platform/database/driver/insert-rows.ts';
import { lockAccount, lockGroups } from '../../platform/database/lock-account.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { mapInSlices } from '../../platform/turns.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { calendarFor, type GroupRules, loadRules } from '../sending-rules/calendar.queries.ts';
import { type Affected, affectedByDays, NOT_AFFECTED } from './affected.queries.ts';
import { noOpenDay } from './hours.command.ts';
import { bringForward } from './release.queries.ts';

interface NewDay extends ClosingDay {
  readonly senderGroupId: number | null;
}

interface Change {
  readonly account: MemberDb;
  readonly now: number;
}

const periodProblem = (path: string) =>
  fieldProblem(
    `${path}.last_day`,
    'invalid_period',
    `最後の日は、最初の日以後で、最初の日から${CLOSING_DAYS_MAX}日以内にしてください。`,
  );

/** Adds a closing day. @returns its id; 400, 404 or 409 */
export async function addClosingDay(
  account: MemberDb,
  { body, key }: { readonly body: z.output<(typeof addCall)['body']>; readonly key: string | undefined },
  now: number,
): Promise<CallAnswer<typeof addCall> | Problem> {
  const { add_info: info } = body;
  const wanted: NewDay = {
    senderGroupId: info.sender_group_id,
    firstDay: info.first_day,
    lastDay: info.last_day,
    name: info.name,
    working: info.working === 1,
    yearly: info.yearly === 1,
  };
  const answer = await createOnce(account, { call: addCall, key, input: body }, async (tx) => {
    if (!isClosingPeriod(wanted)) return periodProblem('add_info');
    const added = await addDays(tx, { account, now }, wanted.senderGroupId, [wanted]);
    return added instanceof Problem
      ? added
      : { status: 'added' as const, id: added.ids[0] as number, ...added.affected };
  });
  // Stored answers of version 1.0.0 lack these fields.
  return answer instanceof Problem ? answer : { ...NOT_AFFECTED, ...answer };
}

/** Adds the usual closing days of a year that the group lacks. */
export const addPreset = (
  account: MemberDb,
  { preset, year, sender_group_id: group }: z.output<(typeof presetCall)['body']>,
  now: number,
): Promise<CallAnswer<typeof presetCall> | Problem> =>
  account.transaction((tx) => addNewDays(tx, { account, now }, group, [presetDays(preset, year)]));

/** Adds the rows of a list that the group lacks. */
export const importDays = (
  account: MemberDb,
  { rows, sender_group_id: group }: z.output<(typeof importCall)['body']>,
  now: number,
): Promise<CallAnswer<typeof importCall> | Problem> => {
  const days = rows.map(({ day, name }) => ({ firstDay: day, lastDay: day, name }));
  return account.transaction((tx) => addNewDays(tx, { account, now }, group, days));
};

/** Adds days unless the group has one with the same first and last day. */
async function addNewDays(
  tx: Tx,
  change: Change,
  senderGroupId: number | null,
  days: readonly Pick<ClosingDay, 'firstDay' | 'lastDay' | 'name'>[],
): Promise<CallAnswer<typeof presetCall> | Problem> {
  // Locked before the days are read: another request may be adding the same ones.
  await lockAccount(tx, change.account.id);
  const { rows } = await sql<{ period: string }>`
    SELECT first_day::text || last_day::text AS period FROM closing_day
    WHERE account_id = ${change.account.id} AND active AND sender_group_id IS NOT DISTINCT FROM ${senderGroupId}::bigint
    `.execute(tx);
  const taken = new Set(rows.map(({ period }) => period));
  const fresh = days.filter(({ firstDay, lastDay }) => {
    const period = firstDay + lastDay;
    return !taken.has(period) && taken.add(period);
  });
  const wanted = fresh.map((day) => ({ ...day, senderGroupId, working: false, yearly: false }));
  const added = await addDays(tx, change, senderGroupId, wanted);
  if (added instanceof Problem) return added;
  const { length } = added.ids;
  return { status: length > 0 ? 'added' : 'no-added', added: length, skipped: days.length - length, ...added.affected };
}

/** @returns the ids of the added days, and the reservations that they affect */
async function addDays(
  tx: Tx,
  { account, now }: Change,
  senderGroupId: number | null,
  days: readonly NewDay[],
): Promise<{ readonly ids: readonly number[]; readonly affected: Affected } | Problem> {
  const { id: accountId, memberId } = account;
  await lockAccount(tx, accountId);
  // Locked after the account's row: an order that has read the old days defers its mails before they are brought
  // forward.
  const groups = await lockGroups(tx, accountId, senderGroupId);
  if (senderGroupId !== null && groups.length === 0) return notFound();
  if (days.length === 0) return { ids: [], affected: NOT_AFFECTED };
  const before = await loadRules(tx, accountId, groups, now);
  const problem =
    (await tooManyDays(tx, accountId, days.length)) ?? (await closedForGood(before, { days, without: null, now }));
  if (problem) return problem;
  const common = { account_id: accountId, sender_group_id: senderGroupId, member_id: memberId };
  const rows = days.map((day) => ({ ...common, ...columnsOf(day) }));
  const inserted = await insertRows(tx, 'closing_day', DAY_TYPES, rows, (insert) => insert.returning('id'));
  await dropDeleted(tx, accountId);
  await bringForward(tx, accountId, 'hours', ofGroup(senderGroupId));
  const detail = { sender_group_id: senderGroupId, days: days.length };
  await recordAudit(tx, { accountId, memberId, kind: 'closing_days_added', detail });
  const affected = await affectedByDays(tx, { accountId, groups, before, days, added: days, now });
  return { ids: inserted.map(({ id }) => id), affected };
}

const DAY_TYPES = {
  account_id: 'bigint',
  sender_group_id: 'bigint',
  member_id: 'bigint',
  first_day: 'date',
  last_day: 'date',
  name: 'text',
  working: 'boolean',
  yearly: 'boolean',
};

/** Deletes days that were removed too long ago for an undo, so that they do not accumulate. */
async function dropDeleted(tx: Tx, accountId: number): Promise<void> {
  await tx
    .deleteFrom('closing_day')
    .where('account_id', '=', accountId)
    .where('active', '=', false)
    .where('updated_at', '<', sql<Date>`now() - interval '1 hour'`)
    .execute();
}

const columnsOf = ({ firstDay, lastDay, name, working, yearly }: ClosingDay) => ({
  first_day: firstDay,
  last_day: lastDay,
  name,
  working,
  yearly,
});

/** Selects mails of the group; null: of any. */
const ofGroup = (senderGroupId: number | null) =>
  sql<SqlBool>`(${senderGroupId}::bigint IS NULL OR d.sender_group_id = ${senderGroupId})`;

/** Refuses more closing days than an account may have in use. */
async function tooManyDays(tx: Tx, accountId: number, more: number): Promise<Problem | null> {
  const { count } = await tx
    .selectFrom('closing_day')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('active', '=', true)
    .executeTakeFirstOrThrow();
  if (count + more <= MAX_CLOSING_DAYS) return null;
  const message = `休業日は${MAX_CLOSING_DAYS}件までです。使わない休業日を削除してください。`;
  return new Problem('too_many_closing_days', message);
}

type ChangeBody = z.output<(typeof updateCall)['body']>;

/** Changes a closing day, or deletes it. A repeated change writes nothing. @returns 400, 404 or 409 */
export function updateClosingDay(
  account: MemberDb,
  id: number,
  { version, update_info }: ChangeBody,
  now: number,
): Promise<CallAnswer<typeof updateCall> | Problem> {
  const { id: accountId, memberId } = account;
  return account.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const stored = await readDay(tx, accountId, id);
    if (!stored) return notFound();
    const wanted = wantedOf(stored, update_info);
    if (JSON.stringify(wanted) === JSON.stringify(stored)) {
      return { status: 'updated', version: stored.version, ...NOT_AFFECTED };
    }
    if (version !== undefined && version !== stored.version) {
      return changedMeanwhile('closing_day_changed', { by: stored.by, what: '休業日を' });
    }
    if (!isClosingPeriod(wanted)) return periodProblem('update_info');
    const { senderGroupId } = stored;
    const groups = await lockGroups(tx, accountId, senderGroupId);
    const days = wanted.active ? [wanted] : [];
    const before = await loadRules(tx, accountId, groups, now);
    const problem =
      (wanted.active && !stored.active ? await tooManyDays(tx, accountId, 1) : null) ??
      (await closedForGood(before, { days, without: id, now }));
    if (problem) return problem;
    await tx
      .updateTable('closing_day')
      .set({ ...columnsOf(wanted), active: wanted.active, member_id: memberId, updated_at: sql<Date>`now()` })
      .set({ version: stored.version + 1 })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute();
    await bringForward(tx, accountId, 'hours', ofGroup(senderGroupId));
    const kind = wanted.active ? 'closing_day_changed' : 'closing_day_removed';
    await recordAudit(tx, { accountId, memberId, kind, detail: { closing_day_id: id } });
    const isRenamed = isDeepStrictEqual({ ...stored, name: '' }, { ...wanted, name: '' });
    const affected = isRenamed
      ? NOT_AFFECTED
      : await affectedByDays(tx, { accountId, groups, before, days: [stored, wanted], added: days, now });
    return { status: 'updated', version: stored.version + 1, ...affected };
  });
}

const wantedOf = (stored: StoredDay, info: ChangeBody['update_info']): StoredDay => ({
  ...stored,
  firstDay: info.first_day ?? stored.firstDay,
  lastDay: info.last_day ?? stored.lastDay,
  name: info.name ?? stored.name,
  working: info.working === undefined ? stored.working : info.working === 1,
  yearly: info.yearly === undefined ? stored.yearly : info.yearly === 1,
  active: info.active === undefined ? stored.active : info.active === 1,
});

interface StoredDay extends NewDay {
  readonly active: boolean;
  readonly version: number;
  readonly by: string | null;
}

async function readDay(tx: Tx, accountId: number, id: number): Promise<StoredDay | undefined> {
  const { rows } = await sql<StoredDay>`
    SELECT d.sender_group_id AS "senderGroupId", d.first_day::text AS "firstDay", d.last_day::text AS "lastDay", d.name,
      d.working, d.yearly, d.active, d.version, member.name AS by
    FROM closing_day d LEFT JOIN member ON member.account_id = d.account_id AND member.id = d.member_id
    WHERE d.account_id = ${accountId} AND d.id = ${id}`.execute(tx);
  return rows[0];
}

interface Closing {
  readonly days: readonly ClosingDay[];
  /** The closing day that they replace. */
  readonly without: number | null;
  readonly now: number;
}

/** Refuses closing days that would leave a group no open day. */
async function closedForGood(
  groups: ReadonlyMap<number, GroupRules>,
  { days, without, now }: Closing,
): Promise<Problem | null> {
  const openings = await mapInSlices([...groups.values()], ({ hours, closingDays }) => {
    const kept = closingDays.filter((day) => day.id !== without);
    return nextOpenTime(now, calendarFor(hours, [...kept, ...days], now));
  });
  return openings.includes(null) ? noOpenDay() : null;
}
