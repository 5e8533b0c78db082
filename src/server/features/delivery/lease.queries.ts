import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db.ts';
import { type Claim, LEASE_SECONDS } from './claim.ts';

/** The end of a lease that begins or is renewed now. */
export const leaseEnd = sql<Date>`now() + make_interval(secs => ${sql.lit(LEASE_SECONDS)})`;

type Fence = Pick<Claim, 'accountId' | 'id' | 'claimNo'>;

/**
 * Whether the row of each claim is among those that were changed.
 * Compares the claim number too: a worker can hold two claims of one mail, an unnoticed lost one and a later one.
 */
export function wereChanged(
  claims: readonly Pick<Claim, 'id' | 'claimNo'>[],
  rows: readonly Pick<Claim, 'id' | 'claimNo'>[],
): boolean[] {
  const key = ({ id, claimNo }: Pick<Claim, 'id' | 'claimNo'>) => `${id} ${claimNo}`;
  const changed = new Set(rows.map(key));
  return claims.map((claim) => changed.has(key(claim)));
}

/**
 * Selects and locks the rows that these claims still own, for a CTE.
 * Locked by id, as in every statement that locks several deliveries, so that none of them deadlock.
 */
export const fenced = (claims: readonly Fence[], condition: Expression<SqlBool>) => sql`
  SELECT d.account_id, d.id FROM delivery d
  JOIN unnest(${claims.map(({ accountId }) => accountId)}::bigint[], ${claims.map(({ id }) => id)}::bigint[],
    ${claims.map(({ claimNo }) => claimNo)}::integer[]) AS fence (account_id, id, claim_no)
    ON d.account_id = fence.account_id AND d.id = fence.id AND d.claim_no = fence.claim_no
  WHERE ${condition}
  ORDER BY d.account_id, d.id
  FOR UPDATE OF d`;

/** Updates the owned rows that fulfil the condition. @returns for each claim, in order, whether its row was updated */
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

/**
 * Renews the leases of claims by id.
 * Not by worker id: that would also renew claims whose answer was lost on its way to the worker.
 * @returns false for a claim that is no longer ours
 */
export const renewLeases = (db: Db, claims: readonly Claim[]): Promise<boolean[]> =>
  updateFenced(db, claims, sql`d.state IN ('claimed', 'sending')`, sql`lease_until = ${leaseEnd}`);

/** Requeues claimed, unsent mails. @returns for each, in order, whether it was still ours */
export const requeueClaims = (db: Db, claims: readonly Claim[]): Promise<boolean[]> =>
  updateFenced(db, claims, sql`d.state = 'claimed'`, sql`state = 'queued', lease_until = NULL, worker_id = NULL`);

/** Renews a worker's shares of senders' connections. An expired share may be another worker's: it is not renewed. */
export async function renewConnections(db: Db, workerId: string, senderIds: readonly number[]): Promise<void> {
  if (senderIds.length === 0) return;
  await db
    .updateTable('sender_connection')
    .set({ lease_until: leaseEnd })
    .where('worker_id', '=', workerId)
    .where('sender_id', 'in', senderIds)
    .where('lease_until', '>', sql<Date>`now()`)
    .execute();
}

/** Ends all shares of a worker that stops. */
export async function releaseConnections(db: Db, workerId: string): Promise<void> {
  await db.deleteFrom('sender_connection').where('worker_id', '=', workerId).execute();
}
