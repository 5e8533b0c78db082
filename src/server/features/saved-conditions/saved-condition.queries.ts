import { sql } from 'kysely';
import type { z } from 'zod';
import type { countSavedConditions, listSavedConditions } from '#contract/companies/saved-conditions.ts';
import { MAX_SAVED_CONDITIONS } from '#domain/limits.ts';
import { normalizeText } from '#domain/text/text-filter.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import { type MemberDb, StatementTooSlow } from '../../platform/database/account-db.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { countRows, ownRows, pageOf, pickColumns } from '../../platform/database/list-rows.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { checkedFilter, NO_OWN_NAMES, namesOwn, readOwnNames } from '../prospects/list/own-condition.queries.ts';
import type { GroupScope } from '../prospects/list/sender-group.queries.ts';
import { countProspects, type ProspectCondition } from '../prospects/prospects.queries.ts';
import { groupOf, type Known, readCondition, versioned } from './read-condition.ts';

type CountQuery = z.output<(typeof countSavedConditions)['query']>;
type Query = z.output<(typeof listSavedConditions)['query']>;

/** Lists the conditions that a member may use, by id: the member's own and the shared ones. */
export const listConditions = (account: MemberDb, { where_info, columns, ...window }: Query) =>
  account.snapshot(async (tx) => {
    const { is_shared, ...where } = where_info ?? {};
    const { own, shared, visible: all } = visibleTo(account);
    const visible = is_shared === undefined ? all : is_shared ? shared : own;
    const condition = sql<boolean>`${ownRows('saved_condition', account.id, where)} AND ${visible}`;
    const found = await tx
      .selectFrom('saved_condition')
      .leftJoin('member', (join) =>
        join.on('member.account_id', '=', account.id).onRef('member.id', '=', 'saved_condition.member_id'),
      )
      .select([
        'saved_condition.id',
        'saved_condition.name',
        'saved_condition.owner_id',
        'saved_condition.where_info',
        'saved_condition.updated_at',
        'member.name as updated_by',
      ])
      .where(condition)
      .orderBy('saved_condition.id')
      .limit(window.limit)
      .offset(window.offset)
      .execute();
    const stored = found.map((row) => row.where_info as Readonly<Record<string, unknown>>);
    const known = await readKnown(tx, account.id, stored);
    const rows = found.map(({ owner_id, where_info: _stored, updated_at, ...row }, place) =>
      pickColumns(
        {
          ...row,
          is_shared: asFlag(owner_id === null),
          version: contentVersion(versioned({ name: row.name, owner_id, where_info: stored[place] ?? {} })),
          ...readCondition(stored[place] ?? {}, known),
          updated_at: formatSecond(updated_at.getTime()),
        },
        columns,
      ),
    );
    return pageOf(rows, window, () => countRows(tx, 'saved_condition', condition));
  });

function visibleTo({ memberId }: MemberDb) {
  const owner = sql.ref('saved_condition.owner_id');
  const shared = sql<boolean>`${owner} IS NULL`;
  const own = sql<boolean>`${owner} = ${memberId}`;
  return { own, shared, visible: sql<boolean>`(${own} OR ${shared})` };
}

/**
 * The time for all counts of a request: none starts later, and no statement runs longer than the rest. A large list
 * takes some 0.1 s for each.
 */
const COUNT_MS = 2000;

/**
 * Counts the companies of conditions, one after the other, so that a member uses one connection.
 * A count that times out is null, as are those after it.
 */
export async function countConditions(account: MemberDb, { sender_group_id, ids }: CountQuery) {
  const end = Date.now() + COUNT_MS;
  const counts: { id: number; total: number | null }[] = [];
  const { conditions, known } = await readVisible(account, ids);
  for (const { id, where_info = {} } of conditions) {
    const { sender_group_id: senderGroupId = sender_group_id, status, ...parts } = where_info;
    const scope = { accountId: account.id, senderGroupId };
    const filter = checkedFilter(parts, known.own);
    const left = end - Date.now();
    const isCounted = left >= 1 && !(filter instanceof Problem);
    const total = isCounted ? await countWithin(account, left, scope, { filter, status }) : null;
    counts.push({ id, total });
  }
  return counts;
}

const readVisible = (account: MemberDb, ids: readonly number[]) =>
  account.snapshot(async (tx) => {
    const found = await tx
      .selectFrom('saved_condition')
      .select(['id', 'where_info'])
      .where('account_id', '=', account.id)
      .where(sql<boolean>`id = ANY (${ids}::bigint[])`)
      .where(visibleTo(account).visible)
      // In the order of the request, so that the last ones time out.
      .orderBy(sql`array_position(${ids}::bigint[], id)`)
      .execute();
    const stored = found.map(({ id, where_info }) => ({ id, parts: where_info as Readonly<Record<string, unknown>> }));
    const known = await readKnown(
      tx,
      account.id,
      stored.map(({ parts }) => parts),
    );
    const conditions = stored.map(({ id, parts }) => ({ id, where_info: readCondition(parts, known).where_info }));
    return { conditions, known };
  });

async function countWithin(account: MemberDb, ms: number, scope: GroupScope, condition: ProspectCondition) {
  try {
    return await account.snapshot(async (tx) => {
      await sql`SET LOCAL statement_timeout = ${sql.lit(ms)}`.execute(tx);
      return countProspects(tx, scope, condition);
    });
  } catch (error) {
    if (error instanceof StatementTooSlow) return null;
    throw error;
  }
}

/** Reads what these conditions name. */
const readKnown = async (
  tx: Tx,
  accountId: number,
  stored: readonly Readonly<Record<string, unknown>>[],
): Promise<Known> => ({
  groups: await readGroups(
    tx,
    accountId,
    stored.flatMap((one) => groupOf(one) ?? []),
  ),
  own: stored.some(namesOwn) ? await readOwnNames(tx, accountId) : NO_OWN_NAMES,
});

async function readGroups(tx: Tx, accountId: number, ids: readonly number[]) {
  if (ids.length === 0) return new Map<number, { group_name: string; active: boolean }>();
  const groups = await tx
    .selectFrom('sender_group')
    .select(['id', 'group_name', 'active'])
    .where('account_id', '=', accountId)
    .where(sql<boolean>`id = ANY (${ids}::bigint[])`)
    .execute();
  return new Map(groups.map(({ id, ...group }) => [id, group]));
}

/** The owner of conditions: a member, or (null) the account. */
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

/** Compares names without width and case. */
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
  return fieldProblem(path, 'name_taken', message);
}

export const tooMany = ({ ownerId }: Owner) =>
  new Problem(
    'too_many_conditions',
    `${ownerId === null ? '全員で使う条件' : '自分だけの条件'}は${MAX_SAVED_CONDITIONS}までです。使わない条件を削除してください。`,
  );
