import { type Expression, sql } from 'kysely';
import { MAX_MAILS_PER_MINUTE } from '#domain/limits.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { byKey } from '../../../platform/database/list-rows.ts';
import { Problem } from '../../../platform/problem.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { ProfileKey } from '../queue/due-profiles.queries.ts';

/** The same limits as the CHECK constraints of sender_throttle. */
export const PER_MINUTE_MAX = MAX_MAILS_PER_MINUTE;
export const CONNECTIONS_MAX = 200;

/** The combined speed of a profile's senders, over all workers. An undefined limit is unchanged. */
export interface SenderPace {
  /** Mails, 1 to PER_MINUTE_MAX; null: no limit. */
  readonly perMinute?: number | null | undefined;
  /** 1 to CONNECTIONS_MAX. */
  readonly connections?: number | undefined;
}

/** Lists the senders of an account by id with the limits of their profiles; null before the first run. */
export const listSenderPaces = (db: Db, accountId: number) =>
  db
    .selectFrom('sender')
    .innerJoin('sender_profile', byKey('sender_profile', 'sender.profile_id'))
    .leftJoin('sender_throttle', (join) =>
      join
        .onRef('sender_throttle.account_id', '=', 'sender.account_id')
        .onRef('sender_throttle.profile_id', '=', 'sender.profile_id'),
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
 * Sets the limits of a sender's profile, and requeues its claimed, unsent mails so that the limits apply at once.
 * Only mails being sent now may exceed them.
 * @returns the other senders of the profile, by id, whose limits these are too
 */
export function setSenderPace(
  db: Db,
  { accountId: account_id, id: sender_id }: { readonly accountId: number; readonly id: number },
  { perMinute, connections }: SenderPace,
): Promise<readonly number[] | Problem> {
  const limits = {
    ...(perMinute !== undefined && { mails_per_minute: perMinute }),
    ...(connections !== undefined && { max_connections: connections }),
  };
  return db.transaction().execute(async (tx) => {
    const sharing = await tx
      .selectFrom('sender')
      .innerJoin('sender as given', (join) =>
        join
          .onRef('given.account_id', '=', 'sender.account_id')
          .onRef('given.profile_id', '=', 'sender.profile_id')
          .on('given.id', '=', sender_id),
      )
      .select(['sender.id', 'sender.profile_id'])
      .where('sender.account_id', '=', account_id)
      .orderBy('sender.id')
      .execute();
    const [first] = sharing;
    if (!first) {
      return new Problem('not_found', `番号 ${sender_id} の送信者はありません。sender list で番号を確認してください。`);
    }
    await setLimits(tx, { account_id, profile_id: first.profile_id }, limits);
    const kind = 'sender_pace_set_by_operator';
    await recordAudit(tx, { accountId: account_id, memberId: null, kind, detail: { sender_id, ...limits } });
    return sharing.map(({ id }) => id).filter((id) => id !== sender_id);
  });
}

/**
 * Sets the limit that an account chose for a profile, effective at once. The operator's limit also applies.
 * @param perMinute 1 to PER_MINUTE_MAX; null: only the operator's
 */
export const setChosenPace = (
  tx: Tx,
  { accountId, profileId }: { readonly accountId: number; readonly profileId: number },
  perMinute: number | null,
): Promise<void> => setLimits(tx, { account_id: accountId, profile_id: profileId }, { chosen_per_minute: perMinute });

interface Limits {
  readonly mails_per_minute?: number | null;
  readonly max_connections?: number;
  readonly chosen_per_minute?: number | null;
}

/** Writes limits, and requeues the claimed, unsent mails of all senders of the profile. */
async function setLimits(tx: Tx, profile: ProfileKey, limits: Limits): Promise<void> {
  await tx
    .insertInto('sender_throttle')
    .values({ ...profile, ...limits })
    // The stored next_at was computed with the old pace: a faster one must not wait for it.
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'profile_id']).doUpdateSet({ ...limits, next_at: sql<Date>`now()` }),
    )
    .execute();
  await requeueUnsent(tx, profile);
}

/**
 * Requeues the claimed, unsent mails of a profile whose throttle row is locked. A claim locks that row first, so no
 * claim runs until this transaction ends.
 */
export const requeueUnsent = (tx: Tx, { account_id, profile_id }: ProfileKey): Promise<void> =>
  requeueUnsentOf(tx, account_id, sql`ARRAY[${profile_id}::bigint]`);

/** The same of profiles whose mailbox is locked. @param profileIds an array */
export async function requeueUnsentOf(tx: Tx, account_id: number, profileIds: Expression<unknown>): Promise<void> {
  await sql`
    WITH waiting AS (
      SELECT account_id, id FROM delivery
      WHERE lease_until IS NOT NULL AND account_id = ${account_id} AND profile_id = ANY (${profileIds})
        AND state = 'claimed'
      ORDER BY account_id, id
      FOR UPDATE
    )
    UPDATE delivery d SET state = 'queued', lease_until = NULL, worker_id = NULL
    FROM waiting
    WHERE d.account_id = ${account_id} AND d.account_id = waiting.account_id AND d.id = waiting.id`.execute(tx);
}
