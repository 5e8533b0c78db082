import { sql } from 'kysely';
import type { Db } from '../../platform/db.ts';
import { type Claim, lease } from './claim.queries.ts';

const fences = (claims: readonly Claim[]) =>
  sql`unnest(${claims.map(({ accountId }) => accountId)}::bigint[], ${claims.map(({ id }) => id)}::bigint[],
    ${claims.map(({ claimNo }) => claimNo)}::integer[]) AS c (account_id, id, claim_no)`;

/** The claims of which the rows still are ours, as true, in the order given. */
async function changed(
  db: Db,
  claims: readonly Claim[],
  query: ReturnType<typeof sql<{ id: number }>>,
): Promise<boolean[]> {
  const { rows } = await query.execute(db);
  const ids = new Set(rows.map(({ id }) => id));
  return claims.map(({ id }) => ids.has(id));
}

/**
 * Commits that the bodies of these mails are about to leave. False: the claim was lost meanwhile (lease over, cancelled), and
 * not a byte may be sent.
 */
export const markSending = (db: Db, claims: readonly Claim[]): Promise<boolean[]> =>
  changed(
    db,
    claims,
    sql<{ id: number }>`
      UPDATE delivery d SET state = 'sending', lease_until = ${lease}
      FROM ${fences(claims)}
      WHERE d.account_id = c.account_id AND d.id = c.id AND d.claim_no = c.claim_no
        AND d.state = 'claimed' AND d.lease_until > now()
      RETURNING d.id`,
  );

/**
 * Renews what the worker really holds, by id: a renewal by worker would keep alive claims whose answer was lost on its way here.
 * @returns false for a claim that is no longer ours
 */
export const renewLeases = (db: Db, claims: readonly Claim[]): Promise<boolean[]> =>
  changed(
    db,
    claims,
    sql<{ id: number }>`
      UPDATE delivery d SET lease_until = ${lease}
      FROM ${fences(claims)}
      WHERE d.account_id = c.account_id AND d.id = c.id AND d.claim_no = c.claim_no
        AND d.state IN ('claimed', 'sending')
      RETURNING d.id`,
  );

/** Puts mails that were claimed and not begun back into the queue: a worker that stops. */
export const giveBack = (db: Db, claims: readonly Claim[]): Promise<boolean[]> =>
  changed(
    db,
    claims,
    sql<{ id: number }>`
      UPDATE delivery d SET state = 'queued', lease_until = NULL, worker_id = NULL
      FROM ${fences(claims)}
      WHERE d.account_id = c.account_id AND d.id = c.id AND d.claim_no = c.claim_no AND d.state = 'claimed'
      RETURNING d.id`,
  );

/** Keeps a worker's share of the connections of the senders it is sending for. */
export async function renewConnections(db: Db, workerId: string, senderIds: readonly number[]): Promise<void> {
  if (senderIds.length === 0) return;
  await db
    .updateTable('sender_connection')
    .set({ lease_until: lease })
    .where('worker_id', '=', workerId)
    .where('sender_id', 'in', senderIds)
    .execute();
}

export async function releaseConnections(db: Db, workerId: string): Promise<void> {
  await db.deleteFrom('sender_connection').where('worker_id', '=', workerId).execute();
}
