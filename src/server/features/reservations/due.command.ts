import { sql } from 'kysely';
import type { AskedTarget } from '#contract/target.ts';
import type { CandidateDate } from '#domain/candidate-dates.ts';
import { LATEST_START_MINUTES } from '#domain/limits.ts';
import { accountDbOf } from '../../platform/account-db.ts';
import type { Db, Tx } from '../../platform/db.ts';
import { Refusal } from '../../platform/refusal.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { TransportTemplates } from '../delivery/transports/transport.ts';
import { writeRun } from '../runs/accept.queries.ts';
import { lockGroupOf } from '../runs/group-lock.queries.ts';
import { prepareRun, type RunRequest } from '../runs/prepare-run.ts';

/** Its time went by so long ago that it will not be sent any more. By the database's clock, which all processes share. */
export const isMissed = sql<boolean>`(reservation.active AND NOT reservation.is_sent
  AND reservation.send_at <= now() - ${sql.lit(LATEST_START_MINUTES)} * interval '1 minute')`;

/** Its time has come, and is not too long ago. A range of reservation_due_idx: missed ones stay in it, and are not read. */
const isDue = sql<boolean>`(reservation.active AND NOT reservation.is_sent AND reservation.send_at <= now()
  AND reservation.send_at > now() - ${sql.lit(LATEST_START_MINUTES)} * interval '1 minute')`;

export interface DueReservation {
  readonly accountId: number;
  readonly id: number;
}

/**
 * Reservations whose time has come, of every account, the earliest first; by the database's clock, which all processes share.
 * One that is too late (the program was down) is missed: it keeps its companies until its owner deletes it.
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

/** Seconds until the next reservation falls due that is not due now. Infinity: there is none. */
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
 * Makes a due reservation a run: who may be mailed is judged anew, and whoever falls out is kept with the reason. A run of which nobody
 * is left is written too: it tells the owner that the time came, and of each company why it was not mailed (decision 0079).
 * @returns the run, null when another process has it or it was deleted, or why it cannot be sent: it is tried again until it is missed
 */
export function startReservation(
  db: Db,
  due: DueReservation,
  now: number,
  transport: TransportTemplates,
): Promise<{ sendLogId: number } | null | Refusal> {
  const { accountId } = due;
  return accountDbOf(db)(accountId, null).transaction(async (tx) => {
    await lockGroupOf(tx, accountId, 'reservation', due.id);
    const asked = await lockRequest(tx, due, transport);
    if (!asked) return null;
    const prepared = await prepareRun(tx, accountId, asked, now);
    if (prepared instanceof Refusal) return prepared;
    await markStarted(tx, due);
    const { sender, picked, mail } = prepared;
    const { memberId, test, daysFromLastday } = asked;
    const run = { accountId, memberId, sender, test, daysFromLastday, mail, reservationId: due.id, now };
    const answer = await writeRun(tx, run, picked);
    if (!answer) throw new Error('a run without an idempotency key was taken for another');
    const about = { send_log_id: answer.send_log_id, mails: answer.accepted, is_test: test, reservation_id: due.id };
    await recordAudit(tx, { accountId, memberId, kind: 'run_accepted', detail: about });
    return { sendLogId: answer.send_log_id };
  });
}

/** Tells its owner why it waits still. One that was started or deleted meanwhile has nothing to tell. */
export async function noteRefusal(db: Db, { accountId, id }: DueReservation, reason: string): Promise<void> {
  await db
    .updateTable('reservation')
    .set({ refused_reason: reason })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('active', '=', true)
    .where('is_sent', '=', false)
    .execute();
}

/** Locks a reservation and reads what it asks for. @returns null when another process has it, or it is not to be sent any more */
async function lockRequest(
  tx: Tx,
  { accountId, id }: DueReservation,
  transport: TransportTemplates,
): Promise<RunRequest | null> {
  const reservation = await tx
    .selectFrom('reservation')
    .select(['member_id', 'sender_id', 'test_send_mode', 'candidate_dates', 'days_from_lastday'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    // Asked again: a machine may have slept since it was found due.
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
    transport,
    // Its own targets must not stand in its way.
    exceptReservationId: id,
  };
}

/** In their order. */
async function readTargets(tx: Tx, { accountId, id }: DueReservation): Promise<AskedTarget[]> {
  const targets = await tx
    .selectFrom('reservation_target')
    .select(['prospect_id', 'mail_to'])
    .where('account_id', '=', accountId)
    .where('reservation_id', '=', id)
    .orderBy('row_index')
    .execute();
  return targets.map(({ prospect_id, mail_to }) => ({ prospect_id, company_email: mail_to ?? undefined }));
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
