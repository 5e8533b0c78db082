import { sql } from 'kysely';
import type { ListConditions } from '#contract/saved-conditions.ts';
import { LATEST_START_MINUTES } from '#domain/limits.ts';
import type { CandidateDate } from '#domain/sending/candidate-dates.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { listConditionsOf, writeRun } from '../runs/accept.queries.ts';
import { lockGroupOf } from '../runs/group-lock.queries.ts';
import type { ListedTarget } from '../runs/order.queries.ts';
import { type Mailing, prepareRun, type RunRequest, realRunProblem } from '../runs/prepare-run.ts';

/** The reservation is too late to start. By the database's clock, which all processes share. */
export const isMissed = sql<boolean>`(reservation.active AND NOT reservation.is_sent
  AND reservation.send_at <= now() - ${sql.lit(LATEST_START_MINUTES)} * interval '1 minute')`;

/** The reservation may start now. The query reads a range of reservation_due_idx without the missed ones. */
const isDue = sql<boolean>`(reservation.active AND NOT reservation.is_sent AND reservation.send_at <= now()
  AND reservation.send_at > now() - ${sql.lit(LATEST_START_MINUTES)} * interval '1 minute')`;

type ReservedRun = RunRequest & { readonly listConditions: ListConditions };

export interface DueReservation {
  readonly accountId: number;
  readonly id: number;
}

/**
 * Finds the due reservations of all accounts, earliest first, by the database's clock.
 * A reservation that could not start in time (the program was down) is missed. It holds its targets until it is
 * deleted.
 * @param db a pool of the role kaitaku_service
 */
export async function findDue(db: Db): Promise<DueReservation[]> {
  const rows = await db
    .selectFrom('reservation')
    .select(['account_id', 'id'])
    .where(isDue)
    .orderBy('send_at')
    .orderBy('id')
    .execute();
  return rows.map(({ account_id, id }) => ({ accountId: account_id, id }));
}

/** Returns the seconds until the next reservation falls due, or Infinity if there is none. Due ones do not count. */
export async function secondsUntilNextReservation(db: Db): Promise<number> {
  const next = await db
    .selectFrom('reservation')
    .select(sql<number>`extract(epoch FROM send_at - now())::double precision`.as('seconds'))
    .where('active', '=', true)
    .where('is_sent', '=', false)
    .where('send_at', '>', sql<Date>`now()`)
    .orderBy('send_at')
    .limit(1)
    .executeTakeFirst();
  return next?.seconds ?? Number.POSITIVE_INFINITY;
}

/**
 * Starts a due reservation: writes a run of its targets that may be mailed now.
 * The other targets get a cancelled delivery with the reason. The run is written even when no target is left, so that
 * its owner sees why nothing was sent (decisions/accepting-runs).
 * @param now epoch milliseconds
 * @returns the run; null when another process is starting the reservation or it was deleted; or why it cannot start
 * now. The scheduler then retries until it is missed
 */
export function startReservation(
  db: Db,
  due: DueReservation,
  now: number,
  mailing: Mailing,
): Promise<{ sendLogId: number } | null | Problem> {
  const { accountId } = due;
  return accountDbOf(db)(accountId, null).transaction(async (tx) => {
    await lockGroupOf(tx, accountId, 'reservation', due.id);
    const request = await lockRequest(tx, due, mailing);
    if (!request) return null;
    const prepared = await prepareRun(tx, accountId, request, now);
    if (prepared instanceof Problem) return prepared;
    const problem = realRunProblem(prepared, request.test);
    if (problem) return problem;
    await markStarted(tx, due);
    const { sender, picked, mail } = prepared;
    const { memberId, test, daysFromLastday, listConditions } = request;
    const run = {
      accountId,
      memberId,
      sender,
      test,
      daysFromLastday,
      listConditions,
      mail,
      candidates: request.candidates,
      // Where the group is closed, the first claim defers the run, or pauses it if its dates will be over.
      begins: { at: now, calendar: null },
      reservationId: due.id,
      now,
    };
    const answer = await writeRun(tx, run, picked);
    if (!answer) throw new Error('a run without an idempotency key conflicts with another');
    const detail = { send_log_id: answer.send_log_id, mails: answer.accepted, is_test: test, reservation_id: due.id };
    await recordAudit(tx, { accountId, memberId, kind: 'run_accepted', detail });
    return { sendLogId: answer.send_log_id };
  });
}

/** Stores why a reservation cannot start, for its owner. A started or deleted reservation is not changed. */
export async function recordRefusal(db: Db, { accountId, id }: DueReservation, reason: string): Promise<void> {
  await db
    .updateTable('reservation')
    .set({ refused_reason: reason })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('active', '=', true)
    .where('is_sent', '=', false)
    .execute();
}

/** Locks a due reservation and reads its request. @returns null when it is locked by another process or not due */
async function lockRequest(tx: Tx, { accountId, id }: DueReservation, mailing: Mailing): Promise<ReservedRun | null> {
  const reservation = await tx
    .selectFrom('reservation')
    .select(['member_id', 'sender_id', 'test_send_mode', 'candidate_dates', 'days_from_lastday'])
    .select(['list_conditions', 'companies_chosen'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    // Checked again, because the machine may have slept since the reservation was found due.
    .where(isDue)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!reservation) return null;
  return {
    memberId: reservation.member_id,
    senderId: reservation.sender_id,
    attackList: await readTargets(tx, { accountId, id }),
    candidates: (reservation.candidate_dates ?? []) as unknown as CandidateDate[],
    test: reservation.test_send_mode,
    daysFromLastday: reservation.days_from_lastday,
    listConditions: listConditionsOf(reservation),
    ...mailing,
    // The targets of this reservation must not be skipped as reserved.
    exceptReservationId: id,
    // They were chosen before the answer came, and wait with it.
    holdsDoubted: !reservation.test_send_mode,
  };
}

/** Reads the targets of a reservation in the order of its list. */
async function readTargets(tx: Tx, { accountId, id }: DueReservation): Promise<ListedTarget[]> {
  const targets = await tx
    .selectFrom('reservation_target')
    .select(['prospect_id', 'mail_to', 'follow_up_of'])
    .where('account_id', '=', accountId)
    .where('reservation_id', '=', id)
    .orderBy('row_index')
    .execute();
  return targets.map(({ prospect_id, mail_to, follow_up_of }) => ({
    prospect_id,
    company_email: mail_to ?? undefined,
    followUpOf: follow_up_of ?? undefined,
  }));
}

async function markStarted(tx: Tx, { accountId, id }: DueReservation): Promise<void> {
  await tx
    .updateTable('reservation')
    .set({ is_sent: true, refused_reason: null })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
  await tx
    .updateTable('reservation_target')
    .set({ pending: false })
    .where('account_id', '=', accountId)
    .where('reservation_id', '=', id)
    .execute();
}
