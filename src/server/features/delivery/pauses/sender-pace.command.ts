import { sql } from 'kysely';
import { MAX_MAILS_PER_MINUTE } from '#domain/limits.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { byKey } from '../../../platform/database/list-rows.ts';
import { Problem } from '../../../platform/problem.ts';
import { recordAudit } from '../../audit/record-audit.ts';

/** The same limits as the CHECK constraints of sender_throttle. */
export const PER_MINUTE_MAX = MAX_MAILS_PER_MINUTE;
export const CONNECTIONS_MAX = 200;

/** How fast a sender may send, over all workers. An undefined limit stays as it is. */
export interface SenderPace {
  /** Mails, 1 to PER_MINUTE_MAX; null: no limit. */
  readonly perMinute?: number | null | undefined;
  /** 1 to CONNECTIONS_MAX. */
  readonly connections?: number | undefined;
}

/** Lists the senders of an account by id with their limits; null before a sender's first run. */
export const listSenderPaces = (db: Db, accountId: number) =>
  db
    .selectFrom('sender')
    .innerJoin('sender_profile', byKey('sender_profile', 'sender.profile_id'))
    .leftJoin('sender_throttle', (join) =>
      join
        .onRef('sender_throttle.account_id', '=', 'sender.account_id')
        .onRef('sender_throttle.sender_id', '=', 'sender.id'),
    )
    .innerJoin('mail_template', (join) =>
      join
        .onRef('mail_template.account_id', '=', 'sender.account_id')
        .onRef('mail_template.id', '=', 'sender.template_id'),
    )
    .select(['sender.id', 'sender_profile.email', 'mails_per_minute', 'max_connections'])
    .select(({ fn }) => fn.coalesce('sender.subject', 'mail_template.subject').as('subject'))
    .where('sender.account_id', '=', accountId)
    .orderBy('sender.id')
    .execute();

/**
 * Sets the limits of a sender and requeues its claimed, unsent mails, so that the limits hold at once.
 * Only mails whose body is leaving now may exceed them.
 */
export function setSenderPace(
  db: Db,
  { accountId: account_id, id: sender_id }: { readonly accountId: number; readonly id: number },
  { perMinute, connections }: SenderPace,
): Promise<Problem | null> {
  const limits = {
    ...(perMinute !== undefined && { mails_per_minute: perMinute }),
    ...(connections !== undefined && { max_connections: connections }),
  };
  return db.transaction().execute(async (tx) => {
    const sender = await tx
      .selectFrom('sender')
      .select('id')
      .where('account_id', '=', account_id)
      .where('id', '=', sender_id)
      .executeTakeFirst();
    if (!sender) {
      return new Problem(
        404,
        'not_found',
        `番号 ${sender_id} の送信者はありません。sender list で番号を確認してください。`,
      );
    }
    await setLimits(tx, { account_id, sender_id }, limits);
    const kind = 'sender_pace_set_by_operator';
    await recordAudit(tx, { accountId: account_id, memberId: null, kind, detail: { sender_id, ...limits } });
    return null;
  });
}

/**
 * Sets the limit that an account chose for its sender, effective at once. The operator's limit holds besides it.
 * @param perMinute 1 to PER_MINUTE_MAX; null: the operator's alone
 */
export const setChosenPace = (
  tx: Tx,
  { accountId, id }: { readonly accountId: number; readonly id: number },
  perMinute: number | null,
): Promise<void> => setLimits(tx, { account_id: accountId, sender_id: id }, { chosen_per_minute: perMinute });

interface Limits {
  readonly mails_per_minute?: number | null;
  readonly max_connections?: number;
  readonly chosen_per_minute?: number | null;
}

/** Writes limits, and requeues the sender's claimed, unsent mails. */
async function setLimits(
  tx: Tx,
  { account_id, sender_id }: { readonly account_id: number; readonly sender_id: number },
  limits: Limits,
): Promise<void> {
  await tx
    .insertInto('sender_throttle')
    .values({ account_id, sender_id, ...limits })
    // The stored next_at was computed with the old pace: a faster one must not wait for it.
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'sender_id']).doUpdateSet({ ...limits, next_at: sql<Date>`now()` }),
    )
    .execute();
  await requeueUnsent(tx, { account_id, sender_id });
}

/**
 * Requeues the claimed, unsent mails of a sender whose throttle row is locked. A claim locks that row first, so none
 * runs until this transaction ends.
 */
export async function requeueUnsent(
  tx: Tx,
  { account_id, sender_id }: { readonly account_id: number; readonly sender_id: number },
): Promise<void> {
  await sql`
    WITH waiting AS (
      SELECT account_id, id FROM delivery
      WHERE lease_until IS NOT NULL AND account_id = ${account_id} AND sender_id = ${sender_id} AND state = 'claimed'
      ORDER BY account_id, id
      FOR UPDATE
    )
    UPDATE delivery d SET state = 'queued', lease_until = NULL, worker_id = NULL
    FROM waiting
    WHERE d.account_id = ${account_id} AND d.account_id = waiting.account_id AND d.id = waiting.id`.execute(tx);
}
