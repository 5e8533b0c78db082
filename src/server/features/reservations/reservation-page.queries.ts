import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import {
  RESERVATION_STATES,
  type ReservationSort,
  type ReservationState,
} from '#contract/sending/reservations-names.ts';
import type {
  ReservationRow,
  viewReservationTargets as targetsCall,
  viewReservations as viewCall,
} from '#contract/sending/reservations-page.ts';
import { searchedName, searchTerms } from '#domain/company/prospect-search.ts';
import type { CandidateDate } from '#domain/sending/candidate-dates.ts';
import type { SkipReason } from '#domain/sending/eligibility.ts';
import { containing } from '#domain/text/text-filter.ts';
import { formatSecond, instantOf } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { slicesOf } from '../../platform/database/driver/insert-rows.ts';
import { hasWords } from '../../platform/database/has-words.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { sendToOf } from '../attack-list/chosen-address.queries.ts';
import { isHeldReservation } from '../delivery/pauses/held.command.ts';
import { type PickedTargets, pickTargets, type Target } from '../runs/order.queries.ts';
import { progressOf } from '../runs/progress.queries.ts';
import { isMissed } from './due.command.ts';
import { ownTargets } from './reservation.queries.ts';
import { isAnswered, isInDoubt, isOut } from './reservation-list.queries.ts';
import { readTargets } from './reservation-targets.queries.ts';

type Query = z.output<(typeof viewCall)['query']>;

/** Reads a page of the account's reservations. @param now epoch milliseconds */
export function viewReservations(
  account: AccountDb,
  { sort, order, pagenate_count, pagenate_num, ...filter }: Query,
  now: number,
): Promise<CallAnswer<typeof viewCall>> {
  return account.snapshot(async (tx) => {
    const waiting = await readWaiting(tx, account.id, now);
    const scope = { accountId: account.id, waiting };
    const where = sql<SqlBool>`reservation.active AND ${fits(scope, filter)}`;
    const by = sql`${SORTED_BY[sort](scope)} ${sql.raw(order)}, reservation.send_at, reservation.id`;
    const page = sql`LIMIT ${pagenate_count} OFFSET ${(pagenate_num - 1) * pagenate_count}`;
    const rows = await readRows(tx, scope, { where, by, page });
    const { rows: counted } = await sql<{ total: number }>`
      SELECT count(*)::integer AS total FROM ${joined(account.id)} WHERE ${where}`.execute(tx);
    return { rows, total: onlyRow(counted).total };
  });
}

/** Reads one reservation of the account, including deleted ones. */
export async function readReservation(
  tx: Tx,
  accountId: number,
  id: number,
  now: number,
): Promise<ReservationRow | undefined> {
  const scope = { accountId, waiting: await readWaiting(tx, accountId, now, id) };
  const [row] = await readRows(tx, scope, { where: sql`reservation.id = ${id}`, by: sql`reservation.id`, page: sql`` });
  return row;
}

/** Started reservations whose mails hours or a limit defer, with the end of the wait. */
export type Waiting = ReadonlyMap<number, string>;

/** Reads them from the progress of open runs. @param only the requested reservation; undefined: all */
export async function readWaiting(tx: Tx, accountId: number, now: number, only?: number): Promise<Waiting> {
  const { rows } = await sql<{ readonly id: number; readonly reservation_id: number }>`
    SELECT id, reservation_id FROM send_log
    WHERE account_id = ${accountId} AND ended_at IS NULL AND sender_id IS NOT NULL
      AND reservation_id IS NOT NULL ${only === undefined ? sql`` : sql`AND reservation_id = ${only}`}`.execute(tx);
  const reservationOf = new Map(rows.map(({ id, reservation_id }) => [id, reservation_id]));
  const runs = await progressOf(tx, accountId, [...reservationOf.keys()], now);
  return new Map(
    runs.flatMap(({ id, put_off_until }) =>
      put_off_until === null ? [] : [[reservationOf.get(id) ?? 0, put_off_until] as const],
    ),
  );
}

interface Scope {
  readonly accountId: number;
  readonly waiting: Waiting;
}

/** The run of a started reservation was cancelled before any of its mails was sent. */
const isTakenBack = sql`EXISTS (SELECT FROM send_log run
  WHERE run.account_id = reservation.account_id AND run.reservation_id = reservation.id AND run.cancelled
    AND NOT EXISTS (SELECT FROM delivery
      WHERE delivery.account_id = run.account_id AND delivery.send_log_id = run.id AND delivery.state <> 'cancelled'))`;

/** The state of a row of `reservation`, by the database's clock, as the scheduler decides. */
export const stateOf = (waiting: Waiting): RawBuilder<ReservationState> => sql`(CASE
  WHEN NOT reservation.active THEN 'deleted'
  WHEN reservation.is_sent AND reservation.id = ANY(${[...waiting.keys()]}::bigint[]) THEN 'waiting'
  WHEN reservation.is_sent AND ${isTakenBack} THEN 'cancelled'
  WHEN reservation.is_sent THEN 'sent'
  WHEN ${isHeldReservation} THEN 'held'
  WHEN ${isMissed} THEN 'missed'
  WHEN reservation.send_at <= now() AND reservation.refused_reason IS NOT NULL THEN 'refused'
  ELSE 'pending' END)`;

/** A reservation with its sender. */
export const joined = (accountId: number) => sql`(SELECT * FROM reservation WHERE account_id = ${accountId}) reservation
  JOIN sender ON sender.account_id = reservation.account_id AND sender.id = reservation.sender_id
  JOIN sender_profile profile ON profile.account_id = sender.account_id AND profile.id = sender.profile_id
  JOIN mail_template template ON template.account_id = sender.account_id AND template.id = sender.template_id
  JOIN sender_group ON sender_group.account_id = reservation.account_id
    AND sender_group.id = reservation.sender_group_id
  LEFT JOIN member ON member.account_id = reservation.account_id AND member.id = reservation.member_id`;

/** The present subject of its mails; that of its run may be older. */
export const SUBJECT = sql<string>`coalesce(sender.subject, template.subject)`;

export const countOf = (accountId: number) => sql<number>`(SELECT count(*)::integer FROM reservation_target target
  WHERE target.account_id = ${accountId} AND target.reservation_id = reservation.id)`;

const SORTED_BY: Readonly<Record<ReservationSort, (scope: Scope) => Expression<unknown>>> = {
  send_at: () => sql`reservation.send_at`,
  subject: () => sql`${SUBJECT} COLLATE "C"`,
  group_name: () => sql`sender_group.group_name COLLATE "C"`,
  targets: ({ accountId }) => countOf(accountId),
  candidates: () => sql`coalesce(jsonb_array_length(reservation.candidate_dates), 0)`,
  member_name: () => sql`member.name COLLATE "C"`,
  state: ({ waiting }) => sql`array_position(${[...RESERVATION_STATES]}::text[], ${stateOf(waiting)})`,
};

/** The condition of a filter on the joined row. */
function fits(
  { accountId, waiting }: Scope,
  {
    from,
    to,
    sender_group_id,
    sender_id,
    test_send_mode,
    state,
    search = '',
  }: Omit<Query, 'sort' | 'order' | 'pagenate_count' | 'pagenate_num'>,
): Expression<SqlBool> {
  const conditions = [
    ...(from === undefined ? [] : [sql`reservation.send_at >= ${new Date(instantOf(from, 0))}`]),
    ...(to === undefined ? [] : [sql`reservation.send_at < ${new Date(instantOf(to, 0) + DAY_MS)}`]),
    ...(sender_group_id === undefined ? [] : [sql`reservation.sender_group_id = ${sender_group_id}`]),
    ...(sender_id === undefined ? [] : [sql`reservation.sender_id = ${sender_id}`]),
    ...(test_send_mode === undefined ? [] : [sql`reservation.test_send_mode = ${test_send_mode}`]),
    ...(state === undefined
      ? [sql`(NOT reservation.is_sent OR reservation.id = ANY(${[...waiting.keys()]}::bigint[]))`]
      : []),
    ...(state === undefined || state === 'all' ? [] : [sql`${stateOf(waiting)} = ${state}`]),
    ...(search.trim() === ''
      ? []
      : [
          sql`(${hasWords(SUBJECT, search)} OR reservation.id IN (
            SELECT target.reservation_id FROM reservation_target target
            JOIN prospect ON prospect.account_id = target.account_id AND prospect.id = target.prospect_id
            WHERE target.account_id = ${accountId} AND ${isNamed(search)}))`,
        ]),
  ];
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` AND `)})`;
}

/** Whether a company name has each word of a search, by the rule of the list of companies. */
const isNamed = (search: string): Expression<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    searchTerms(search).map(
      ({ inName }) => sql`split_part(prospect.identity_key, E'\\n', 1) LIKE ${containing(inName)}`,
    ),
    sql` AND `,
  )})`;

type Stored = Omit<ReservationRow, 'send_at' | 'changed_at' | 'test_send_mode' | 'put_off_until' | 'leaving'> & {
  readonly send_at: Date;
  readonly changed_at: Date | null;
  readonly test_send_mode: boolean;
  readonly datetime_list: CandidateDate[] | null;
  readonly suppressed: number;
  readonly replied: number;
};

async function readRows(
  tx: Tx,
  { accountId, waiting }: Scope,
  { where, by, page }: Readonly<Record<'where' | 'by' | 'page', Expression<unknown>>>,
): Promise<ReservationRow[]> {
  const { rows } = await sql<Stored>`
    WITH page AS (
      SELECT reservation.*, row_number() OVER (ORDER BY ${by}) AS place, ${stateOf(waiting)} AS state,
        ${SUBJECT} AS subject, profile.person_in_charge, template.name AS template_name, sender_group.group_name,
        member.name AS member_name
      FROM ${joined(accountId)} WHERE ${where} ORDER BY place ${page}
    )
    SELECT reservation.id, send_at, state, refused_reason, candidate_dates AS datetime_list, test_send_mode, send_to,
      version, changed_at, member_name,
      json_build_object('id', sender_id, 'subject', coalesce(run.subject, reservation.subject),
        'person_in_charge', person_in_charge, 'template_name', template_name) AS sender,
      json_build_object('id', sender_group_id, 'group_name', group_name) AS "group",
      ${countOf(accountId)} AS targets, leaving.*, changer.name AS changed_by, run.id AS send_log_id
    FROM page reservation
    LEFT JOIN member changer ON changer.account_id = reservation.account_id AND changer.id = reservation.changed_by
    LEFT JOIN LATERAL (
      SELECT id, mail ->> 'subject' AS subject FROM send_log
      WHERE account_id = ${accountId} AND reservation_id = reservation.id ORDER BY id LIMIT 1) run ON true
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE is_out)::integer AS suppressed,
        count(*) FILTER (WHERE NOT is_out AND in_doubt)::integer AS maybe_refused,
        count(*) FILTER (WHERE NOT is_out AND NOT in_doubt AND has_answered)::integer AS replied
      FROM (
        SELECT ${isOut(accountId)} AS is_out, ${isInDoubt(accountId)} AS in_doubt,
          ${isAnswered(accountId)} AS has_answered
        FROM reservation_target target
        JOIN prospect ON prospect.account_id = target.account_id AND prospect.id = target.prospect_id
        WHERE target.account_id = ${accountId} AND target.reservation_id = reservation.id AND target.pending
          AND NOT target.test_send_mode
      ) judged) leaving
    ORDER BY place`.execute(tx);
  return rows.map(({ suppressed, replied, ...row }) => ({
    ...row,
    send_at: formatSecond(row.send_at.getTime()),
    changed_at: row.changed_at && formatSecond(row.changed_at.getTime()),
    test_send_mode: asFlag(row.test_send_mode),
    put_off_until: waiting.get(row.id) ?? null,
    leaving: { suppressed, replied },
  }));
}

/** Reads a page of a reservation's targets, judged as its start will judge them. @param now epoch milliseconds */
export function viewTargets(
  account: AccountDb,
  id: number,
  { search = '', pagenate_count, pagenate_num }: z.output<(typeof targetsCall)['query']>,
  now: number,
): Promise<CallAnswer<typeof targetsCall> | Problem> {
  return account.snapshot(async (tx) => {
    const reservation = await tx
      .selectFrom('reservation')
      .select(['id', 'sender_group_id', 'send_at', 'test_send_mode', 'days_from_lastday'])
      .select(sendToOf('reservation').as('sendTo'))
      .where('account_id', '=', account.id)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!reservation) return notFound();
    const targets = await readTargets(tx, account.id, id);
    const picked = await pickTargets(tx, targets, {
      accountId: account.id,
      senderGroupId: reservation.sender_group_id,
      daysFromLastday: reservation.days_from_lastday,
      test: reservation.test_send_mode,
      sendTo: reservation.sendTo,
      ...ownTargets({ id, test: reservation.test_send_mode }),
      // The re-send interval is checked at the time of the mails.
      now: Math.max(now, reservation.send_at.getTime()),
    });
    if (picked instanceof Problem) return picked;
    const judged = await named(listOf(picked), search);
    const first = (pagenate_num - 1) * pagenate_count;
    const page = judged.slice(first, first + pagenate_count);
    const rows = page.map(({ target: { prospect_id, company_name, mail_to, person_in_charge }, state }) => {
      return { prospect_id, company_name, company_email: mail_to ?? '', person_in_charge, state };
    });
    return { rows, total: judged.length };
  });
}

interface JudgedTarget {
  readonly target: Target;
  readonly state: 'will_send' | SkipReason;
}

/** Returns the targets in list order. */
const listOf = ({ targets, skipped }: PickedTargets): JudgedTarget[] =>
  [
    ...targets.map((target): JudgedTarget => ({ target, state: 'will_send' })),
    ...skipped.flatMap(({ target, reason }): JudgedTarget[] => (target ? [{ target, state: reason }] : [])),
  ].sort((a, b) => a.target.row_index - b.target.row_index);

/** Returns the targets whose company name has each word of a search. */
async function named(judged: readonly JudgedTarget[], search: string): Promise<readonly JudgedTarget[]> {
  const words = searchTerms(search);
  if (words.length === 0) return judged;
  const found: JudgedTarget[] = [];
  for (const slice of slicesOf(judged)) {
    found.push(
      ...slice.filter(({ target }) => {
        const name = searchedName(target.company_name);
        return words.every(({ inName }) => name.includes(inName));
      }),
    );
    await nextTurn();
  }
  return found;
}
