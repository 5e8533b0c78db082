import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';

/* Sets of labels (tags, and options of choices): one row for each set in use (decisions/own-fields). */

/** Writes ids as label_set.members: ',3,7,12,'. */
export const membersOf = (ids: Iterable<number>): string => `,${[...ids].toSorted((a, b) => a - b).join(',')},`;

/** Reads label_set.members. @param members null: no set */
export const idsOf = (members: string | null): number[] =>
  members === null ? [] : members.slice(1, -1).split(',').map(Number);

/**
 * Finds the sets with these members, and adds missing ones. Found ones stay until the end of the transaction.
 * @param wanted different texts of membersOf
 * @returns the id by members
 */
export async function findSets(
  tx: Tx,
  accountId: number,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  type Row = { id: number; members: string };
  if (wanted.length === 0) return new Map();
  const { rows: known } = await sql<Row>`
    SELECT id, members FROM label_set WHERE account_id = ${accountId} AND members = ANY (${wanted}::text[])
    ORDER BY id FOR KEY SHARE`.execute(tx);
  const sets = new Map(known.map(({ id, members }) => [members, id]));
  const missing = wanted.filter((members) => !sets.has(members));
  if (missing.length === 0) return sets;
  const { rows: added } = await sql<Row>`
    INSERT INTO label_set (account_id, members)
    SELECT ${accountId}::bigint, members FROM unnest(${missing}::text[]) AS missing (members)
    RETURNING id, members`.execute(tx);
  for (const { id, members } of added) sets.set(members, id);
  return sets;
}

/** The sets of one transaction: a writer that needs one of them waits for its end. */
const DELETED_AT_ONCE = 1000;

const isUnused = sql`NOT EXISTS (
  SELECT FROM prospect_own WHERE prospect_own.account_id = label_set.account_id AND label_set_id = label_set.id)`;

/**
 * Deletes sets that no company has.
 * @param db a pool of the role kaitaku_service
 */
export async function deleteUnusedSets(db: Db): Promise<void> {
  for (let deleted = DELETED_AT_ONCE; deleted === DELETED_AT_ONCE; ) {
    deleted = await db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ account_id: number; id: number }>`
        SELECT account_id, id FROM label_set WHERE ${isNotFrozen('label_set.account_id')} AND ${isUnused}
        LIMIT ${DELETED_AT_ONCE} FOR UPDATE SKIP LOCKED`.execute(tx);
      // A writer may have used one since this statement began; from now on it waits, and makes a new one.
      const { numAffectedRows } = await sql`
        DELETE FROM label_set
        WHERE (account_id, id) IN (
            SELECT * FROM unnest(
              ${rows.map((row) => row.account_id)}::bigint[], ${rows.map(({ id }) => id)}::integer[]))
          AND ${isUnused}`.execute(tx);
      return Number(numAffectedRows ?? 0);
    });
  }
}
