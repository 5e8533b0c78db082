import { sql } from 'kysely';
import { MAX_SAVED_CONDITIONS } from '#domain/limits.ts';
import { normalizeText } from '#domain/text/text-filter.ts';
import type { Tx } from '../../platform/database/db.ts';
import { fieldConflict, Problem } from '../../platform/problem.ts';

/** The conditions of one owner: a member, or (null) the account. */
export interface Owner {
  readonly accountId: number;
  readonly ownerId: number | null;
}

const conditionsOf = (tx: Tx, { accountId, ownerId }: Owner) =>
  tx
    .selectFrom('saved_condition')
    .where('account_id', '=', accountId)
    .where(sql<boolean>`owner_id IS NOT DISTINCT FROM ${ownerId}::bigint`);

export async function isFull(tx: Tx, owner: Owner): Promise<boolean> {
  const { saved } = await conditionsOf(tx, owner)
    .select(({ fn }) => fn.countAll<number>().as('saved'))
    .executeTakeFirstOrThrow();
  return saved >= MAX_SAVED_CONDITIONS;
}

/** Names are compared as people read them: full-width and half-width, upper and lower case are one name. */
export async function isTaken(tx: Tx, owner: Owner, name: string, except = 0): Promise<boolean> {
  const taken = await conditionsOf(tx, owner)
    .select('id')
    .where('name_key', '=', normalizeText(name))
    .where('id', '<>', except)
    .executeTakeFirst();
  return taken !== undefined;
}

export function nameTaken(path: string): Problem {
  const message = '同じ名前の条件があります';
  return fieldConflict(path, 'name_taken', message);
}

export const tooMany = ({ ownerId }: Owner) =>
  new Problem(
    409,
    'too_many_conditions',
    `${ownerId === null ? '全員で使う条件' : '自分だけの条件'}は${MAX_SAVED_CONDITIONS}までです。使わない条件を削除してください。`,
  );
