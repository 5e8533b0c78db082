import { sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';

/* Sets of labels (tags, and options of choices): one row for each set in use (decisions/own-fields). */

/** The ids of a set's labels, ascending. */
export type LabelIds = readonly number[];

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
