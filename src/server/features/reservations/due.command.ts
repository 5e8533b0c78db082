import { sql } from 'kysely';
import type { AskedTarget } from '#contract/target.ts';
import type { CandidateDate } from '#domain/candidate-dates.ts';
import { LATEST_START_MINUTES } from '#domain/limits.ts';
import type { Db, Tx } from '../../platform/db.ts';
import { Refusal } from '../../platform/refusal.ts';
import { writeRun } from '../sending/accept.queries.ts';
import { prepareRun } from '../sending/prepare-run.ts';
import type { TransportName } from '../sending/transport.ts';

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
    .where('active', '=', true)
    .where('is_sent', '=', false)
    .where('send_at', '<=', sql<Date>`now()`)
    .where('send_at', '>', sql<Date>`now() - ${sql.lit(LATEST_START_MINUTES)} * interval '1 minute'`)
    .orderBy('send_at')
    .orderBy('id')
    .execute();
  return rows.map(({ account_id, id }) => ({ accountId: account_id, id }));
}

/**
 * Makes a due reservation a run, in one transaction: who may be mailed is judged anew, and whoever falls out is kept with the reason.
 * @returns the run, null when another process has it or it was deleted, or why it cannot be sent: it is tried again until it is missed
 */
export function startReservation(
  db: Db,
  { accountId, id }: DueReservation,
  now: number,
  transport: TransportName = 'smtp',
): Promise<{ sendLogId: number } | null | Refusal> {
  return db.transaction().execute(async (tx) => {
    const reservation = await tx
      .selectFrom('reservation')
      .select(['sender_id', 'test_send_mode', 'candidate_dates', 'days_from_lastday'])
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .where('active', '=', true)
      .where('is_sent', '=', false)
      .forNoKeyUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (!reservation) return null;
    const { sender_id: senderId, test_send_mode: test, days_from_lastday: daysFromLastday } = reservation;
    const attackList = await readTargets(tx, { accountId, id });
    const candidates = (reservation.candidate_dates ?? []) as unknown as CandidateDate[];
    // Its own targets must not stand in its way.
    const asked = { senderId, attackList, candidates, test, daysFromLastday, transport, exceptReservationId: id };
    const prepared = await prepareRun(tx, accountId, asked, now);
    if (prepared instanceof Refusal) return prepared;
    await markStarted(tx, { accountId, id });
    const { sender, picked, mail } = prepared;
    const run = { accountId, sender, test, daysFromLastday, mail, reservationId: id, now };
    const answer = await writeRun(tx, run, picked);
    if (!answer) throw new Error('a run without an idempotency key was taken for another');
    return { sendLogId: answer.send_log_id };
  });
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
    .set({ is_sent: true })
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
