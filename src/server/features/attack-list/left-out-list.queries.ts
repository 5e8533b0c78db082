import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { AttackListItem } from '#contract/attack-list.ts';
import type { ProspectFilter, ProspectSort } from '#contract/prospect.ts';
import { type LeftOutReason, resendCutoff } from '#domain/eligibility.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
import type { DB } from '../../platform/db-types.ts';
import { findFew } from '../prospects/few-matches.queries.ts';
import { countMatches } from '../prospects/prospect-counts.queries.ts';
import { prospectCondition } from '../prospects/prospect-filter.queries.ts';
import { sortedProspectIds } from '../prospects/prospect-order.queries.ts';
import { ownsSenderGroup } from '../prospects/sender-group.queries.ts';
import { readItems } from './attack-list.queries.ts';
import { isLeftOutFor } from './eligibility.queries.ts';

export interface LeftOutPage {
  readonly reason: LeftOutReason;
  readonly filter: ProspectFilter;
  readonly sort: ProspectSort;
  readonly daysFromLastday: number;
  readonly offset: number;
  readonly limit: number;
}

interface LeftOutList {
  readonly rows: AttackListItem[];
  readonly total: number;
}

const eb = expressionBuilder<DB, 'prospect'>();

/**
 * The companies that the preview counts under a reason, a page of them in the list's order. A group that is not the account's has
 * none. @param now epoch milliseconds
 */
export async function listLeftOut(
  account: AccountDb,
  senderGroupId: number,
  { reason, filter, sort, daysFromLastday, offset, limit }: LeftOutPage,
  now: number,
): Promise<LeftOutList> {
  const group = { accountId: account.id, senderGroupId };
  const scope = { ...group, cutoff: new Date(resendCutoff(now, daysFromLastday)) };
  const readPage = async (tx: Tx, where: Expression<SqlBool>) =>
    readItems(tx, account.id, await sortedProspectIds(tx, group, where, sort, { offset, limit }));

  const first = await account.transaction(async (tx): Promise<LeftOutList | { many: Expression<SqlBool> }> => {
    if (!(await ownsSenderGroup(tx, group))) return { rows: [], total: 0 };
    const where = eb.and([await prospectCondition(tx, account.id, filter), isLeftOutFor(scope, reason)]);
    const few = await findFew(tx, account.id, where);
    return few ? { rows: await readPage(tx, few.where), total: few.count } : { many: where };
  });
  if (!('many' in first)) return first;
  const [rows, total] = await Promise.all([
    account.transaction((tx) => readPage(tx, first.many)),
    account.transaction((tx) => countMatches(tx, first.many)),
  ]);
  return { rows, total };
}
