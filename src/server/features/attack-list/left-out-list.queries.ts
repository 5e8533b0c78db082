import type { AttackListItem } from '#contract/attack-list.ts';
import type { ProspectFilter, ProspectSort } from '#contract/prospect.ts';
import { type LeftOutReason, resendCutoff } from '#domain/eligibility.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import { type FindList, listFound } from '../prospects/list/filtered-list.queries.ts';
import { prospectCondition } from '../prospects/list/prospect-filter.queries.ts';
import { readItems } from './attack-list.queries.ts';
import { judgedProspects } from './eligibility.queries.ts';

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

/**
 * The companies that the preview counts under a reason, a page of them in the list's order. A group that is not the account's has
 * none. @param now epoch milliseconds
 */
export function listLeftOut(
  account: AccountDb,
  senderGroupId: number,
  { reason, filter, sort, daysFromLastday, offset, limit }: LeftOutPage,
  now: number,
): Promise<LeftOutList> {
  const scope = { accountId: account.id, senderGroupId, cutoff: new Date(resendCutoff(now, daysFromLastday)) };
  const judged = judgedProspects(scope, prospectCondition(account.id, filter));
  const find: FindList = (asked) => {
    const { prospects, leftOut } = judged(asked);
    return { prospects: prospects.where(leftOut, '=', reason) };
  };
  return account.snapshot(async (tx) => {
    const { ids, total } = await listFound(tx, scope, find, { sort, offset, limit });
    return { rows: await readItems(tx, account.id, ids), total };
  });
}
