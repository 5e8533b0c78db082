import { sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';
import { mapInSlices } from '../../platform/turns.ts';
import { idsOf } from './label-sets.queries.ts';
import type { OwnField } from './own-fields.queries.ts';
import type { OwnValue } from './own-value.ts';

/** What an account knows of a company in its own fields. */
export interface OwnRow {
  /** By the field's id; archived fields too. */
  readonly values: ReadonlyMap<number, OwnValue>;
  /** Ids, ascending; archived tags too. */
  readonly tags: readonly number[];
  readonly ownerId: number | null;
  readonly updatedAt: Date | null;
}

export const NO_OWN: OwnRow = { values: new Map(), tags: [], ownerId: null, updatedAt: null };

/** Rows of some 30 µs, where own fields are full. */
const GROUP_ROWS = 20;

/**
 * Reads the own values of companies; those without any are missing in the answer.
 * @param fields all of the account
 */
export async function readOwn(
  tx: Tx,
  accountId: number,
  fields: readonly OwnField[],
  prospectIds: readonly number[],
): Promise<ReadonlyMap<number, OwnRow>> {
  const { rows } = await sql<{
    prospect_id: number;
    owner_id: number | null;
    vals: Readonly<Record<string, OwnValue>>;
    members: string | null;
    updated_at: Date;
  }>`
    SELECT own.prospect_id, own.owner_id, own.vals, label_set.members, own.updated_at
    FROM prospect_own AS own
    LEFT JOIN label_set ON label_set.account_id = own.account_id AND label_set.id = own.label_set_id
    WHERE own.account_id = ${accountId} AND own.prospect_id = ANY (${prospectIds}::bigint[])`.execute(tx);
  const fieldOf = fieldsByOption(fields);
  const read = await mapInSlices(
    rows,
    ({ prospect_id, owner_id, vals, members, updated_at }) => {
      const { values, tags } = sortLabels(idsOf(members), fieldOf);
      for (const [id, value] of Object.entries(vals)) values.set(Number(id), value);
      return [prospect_id, { values, tags, ownerId: owner_id, updatedAt: updated_at }] as const;
    },
    GROUP_ROWS,
  );
  return new Map(read);
}

/** The field of each option. */
export const fieldsByOption = (fields: readonly OwnField[]): ReadonlyMap<number, number> =>
  new Map(fields.flatMap(({ id, options }) => options.map((option) => [option.id, id] as const)));

/** Separates the labels of a set into tags and the options of choices. */
export function sortLabels(
  ids: readonly number[],
  fieldOf: ReadonlyMap<number, number>,
): { values: Map<number, OwnValue>; tags: number[] } {
  const values = new Map<number, OwnValue>();
  const tags: number[] = [];
  for (const id of ids) {
    const field = fieldOf.get(id);
    if (field === undefined) tags.push(id);
    else values.set(field, id);
  }
  return { values, tags };
}

/** Deletes the rows that say nothing. */
export async function deleteEmpty(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  await sql`
    DELETE FROM prospect_own
    WHERE account_id = ${accountId} AND prospect_id = ANY (${ids}::bigint[])
      AND owner_id IS NULL AND label_set_id IS NULL AND vals = '{}'`.execute(tx);
}

/** Deletes all own data of companies that are erased. */
export async function deleteOwn(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  await sql`
    DELETE FROM prospect_own
    WHERE account_id = ${accountId} AND prospect_id = ANY (${ids}::bigint[])`.execute(tx);
}
