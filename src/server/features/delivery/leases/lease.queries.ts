import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { lockBox } from '../../mailboxes/mailbox-state.command.ts';
import type { BoxKey, Claim } from './claim.ts';
import { CLAIM_LEASE_SECONDS, SENDING_LEASE_SECONDS } from './lease-seconds.ts';

const inSeconds = (seconds: number) => sql<Date>`now() + make_interval(secs => ${sql.lit(seconds)})`;

/** The lease end of a claim, or of a share of connections, that starts or is renewed now. */
export const leaseEnd = inSeconds(CLAIM_LEASE_SECONDS);

/** The lease end of a mail that is marked now. */
export const sendingLeaseEnd = inSeconds(SENDING_LEASE_SECONDS);

/**
 * Younger leases are not renewed, so that quickly sent mails cost no write.
 * A renewal writes an entry to each index of `delivery`, as a mark does.
 */
const RENEW_AFTER_SECONDS = 1.5;

type Fence = Pick<Claim, 'accountId' | 'id' | 'claimNo'>;

/**
 * Whether the row of each claim was changed.
 * Compares the claim number too: a worker can hold a lost and a later claim of the same mail.
 */
export function wereChanged(
  claims: readonly Pick<Claim, 'id' | 'claimNo'>[],
  rows: readonly Pick<Claim, 'id' | 'claimNo'>[],
): boolean[] {
  const key = ({ id, claimNo }: Pick<Claim, 'id' | 'claimNo'>) => `${id} ${claimNo}`;
  const changed = new Set(rows.map(key));
  return claims.map((claim) => changed.has(key(claim)));
}

/** Selects columns of the rows (`d`) whose claim numbers still match. */
const owned = (claims: readonly Fence[], columns: Expression<unknown>, condition: Expression<SqlBool>) => sql`
  SELECT ${columns} FROM delivery d
  JOIN unnest(${claims.map(({ accountId }) => accountId)}::bigint[], ${claims.map(({ id }) => id)}::bigint[],
    ${claims.map(({ claimNo }) => claimNo)}::integer[]) AS fence (account_id, id, claim_no)
    ON d.account_id = fence.account_id AND d.id = fence.id AND d.claim_no = fence.claim_no
  WHERE ${condition}`;

/**
 * Selects and locks the rows whose claim numbers still match, for a CTE.
 * Locked by id, as in every statement that locks several deliveries, so that none of them deadlock.
 */
export const fenced = (claims: readonly Fence[], condition: Expression<SqlBool>) => sql`
  ${owned(claims, sql`d.account_id, d.id`, condition)}
  ORDER BY d.account_id, d.id
  FOR UPDATE OF d`;

/** Updates the rows that match claim and condition. @returns for each claim, in order, whether its row was updated */
async function updateFenced(
  db: Db,
  claims: readonly Claim[],
  condition: Expression<SqlBool>,
  values: Expression<unknown>,
): Promise<boolean[]> {
  const { rows } = await sql<Pick<Claim, 'id' | 'claimNo'>>`
    WITH ours AS (${fenced(claims, condition)})
    UPDATE delivery d SET ${values} FROM ours WHERE d.account_id = ours.account_id AND d.id = ours.id
    RETURNING d.id, d.claim_no AS "claimNo"`.execute(db);
  return wereChanged(claims, rows);
}

/** The lease end of a row `d` that is renewed now. */
const renewedEnd = sql<Date>`CASE d.state WHEN 'claimed' THEN ${leaseEnd} ELSE ${sendingLeaseEnd} END`;

const isHeld = sql<SqlBool>`d.state IN ('claimed', 'sending')`;

/**
 * Renews the leases of claims by id, unless they are young.
 * Not by worker id: that would also renew claims whose answer never reached the worker.
 * @returns false for a lost claim
 */
export async function renewLeases(db: Db, claims: readonly Claim[]): Promise<boolean[]> {
  const begun = sql`${renewedEnd} - make_interval(secs => ${sql.lit(RENEW_AFTER_SECONDS)})`;
  // A lease that ends later than a renewed one would: the database's clock was set back.
  const isOld = sql`(d.lease_until <= ${begun} OR d.lease_until > ${renewedEnd})`;
  const { rows } = await sql<Pick<Claim, 'id' | 'claimNo'>>`
    WITH held AS (${owned(claims, sql`d.id, d.claim_no`, isHeld)}
    ), old AS (${fenced(claims, sql`${isHeld} AND ${isOld}`)}
    ), renewed AS (
      UPDATE delivery d SET lease_until = ${renewedEnd}
      FROM old WHERE d.account_id = old.account_id AND d.id = old.id
    )
    SELECT id, claim_no AS "claimNo" FROM held`.execute(db);
  return wereChanged(claims, rows);
}

/** Requeues claimed, unsent mails. @returns for each, in order, whether the claim was still held */
export const requeueClaims = (db: Db, claims: readonly Claim[]): Promise<boolean[]> =>
  updateFenced(db, claims, sql`d.state = 'claimed'`, sql`state = 'queued', lease_until = NULL, worker_id = NULL`);

/** Renews a worker's shares of profiles' connections. An expired share is not renewed: it may be another worker's. */
export async function renewConnections(db: Db, workerId: string, profileIds: readonly number[]): Promise<void> {
  if (profileIds.length === 0) return;
  await db
    .updateTable('sender_connection')
    .set({ lease_until: leaseEnd })
    .where('worker_id', '=', workerId)
    .where('profile_id', '=', sql<number>`any(${profileIds}::bigint[])`)
    .where('lease_until', '>', sql<Date>`now()`)
    .execute();
}

/** Renews a worker's shares of mailboxes' connections. @returns those that it has lost */
export async function renewBoxShares(db: Db, workerId: string, boxes: readonly BoxKey[]): Promise<BoxKey[]> {
  if (boxes.length === 0) return [];
  const { rows } = await sql<BoxKey>`
    UPDATE sender_connection c SET lease_until = ${leaseEnd}
    FROM unnest(${boxes.map(({ accountId }) => accountId)}::bigint[], ${boxes.map(({ id }) => id)}::bigint[])
      AS open (account_id, id)
    WHERE c.account_id = open.account_id AND c.mailbox_id = open.id AND c.worker_id = ${workerId}
      AND c.lease_until > now()
    RETURNING c.account_id AS "accountId", c.mailbox_id AS id`.execute(db);
  const kept = new Set(rows.map(({ accountId, id }) => `${accountId} ${id}`));
  return boxes.filter(({ accountId, id }) => !kept.has(`${accountId} ${id}`));
}

/**
 * Deletes a worker's share of a mailbox's connection, unless it holds a mail again. Behind the lock of claims: one may
 * just have been made.
 */
export const releaseBox = (db: Db, workerId: string, { accountId, id }: BoxKey): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await lockBox(tx, { accountId, id });
    await sql`
      DELETE FROM sender_connection c
      WHERE c.account_id = ${accountId} AND c.mailbox_id = ${id} AND c.worker_id = ${workerId} AND NOT EXISTS (
        SELECT FROM delivery d
        WHERE d.lease_until > now() AND d.account_id = c.account_id AND d.profile_id = c.profile_id
          AND d.worker_id = c.worker_id)`.execute(tx);
  });

/** Deletes all connection shares of a stopping worker. */
export async function releaseConnections(db: Db, workerId: string): Promise<void> {
  await db.deleteFrom('sender_connection').where('worker_id', '=', workerId).execute();
}
