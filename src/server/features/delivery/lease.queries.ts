import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db.ts';
import { type Claim, LEASE_SECONDS } from './claim.ts';

/** The end of a lease that begins or is renewed now. */
export const lease = sql<Date>`now() + make_interval(secs => ${sql.lit(LEASE_SECONDS)})`;

type Fence = Pick<Claim, 'accountId' | 'id' | 'claimNo'>;

/**
 * Whether the row of each claim is among those that were changed. By the claim's number too: a worker may hold a mail twice, by a claim that
 * it has lost without knowing and by the one after it.
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
 * The rows of these claims that are still theirs, for a CTE `ours`. Locked by id, as all who lock several deliveries do: a worker and
 * somebody who pauses its run wait for each other, and do not lock each other out.
 */
export const fenced = (claims: readonly Fence[], condition: Expression<SqlBool>) => sql`
  SELECT d.account_id, d.id FROM delivery d
  JOIN unnest(${claims.map(({ accountId }) => accountId)}::bigint[], ${claims.map(({ id }) => id)}::bigint[],
    ${claims.map(({ claimNo }) => claimNo)}::integer[]) AS fence (account_id, id, claim_no)
    ON d.account_id = fence.account_id AND d.id = fence.id AND d.claim_no = fence.claim_no
  WHERE ${condition}
  ORDER BY d.account_id, d.id
  FOR UPDATE OF d`;

/** Changes the rows that are still ours and fulfil the condition. @returns true for each claim whose row did, in the order given */
async function change(
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
 * Renews what the worker really holds, by id: a renewal by worker would keep alive claims whose answer was lost on its way here.
 * @returns false for a claim that is no longer ours
 */
export const renewLeases = (db: Db, claims: readonly Claim[]): Promise<boolean[]> =>
  change(db, claims, sql`d.state IN ('claimed', 'sending')`, sql`lease_until = ${lease}`);

/** Puts mails that were claimed and not begun back into the queue: a worker that stops. */
export const giveBack = (db: Db, claims: readonly Claim[]): Promise<boolean[]> =>
  change(db, claims, sql`d.state = 'claimed'`, sql`state = 'queued', lease_until = NULL, worker_id = NULL`);

/** Keeps a worker's share of the connections of the senders it is sending for; one that has run out may be another's by now. */
export async function renewConnections(db: Db, workerId: string, senderIds: readonly number[]): Promise<void> {
  if (senderIds.length === 0) return;
  await db
    .updateTable('sender_connection')
    .set({ lease_until: lease })
    .where('worker_id', '=', workerId)
    .where('sender_id', 'in', senderIds)
    .where('lease_until', '>', sql<Date>`now()`)
    .execute();
}

export async function releaseConnections(db: Db, workerId: string): Promise<void> {
  await db.deleteFrom('sender_connection').where('worker_id', '=', workerId).execute();
}
