import type { AttackListItem } from '#contract/attack-list.ts';
import type { ProspectFilter, ProspectSort } from '#contract/prospects-filter.ts';
import { type LeftOutReason, resendCutoff } from '#domain/sending/eligibility.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { DefineList } from '../prospects/list/filtered-list.queries.ts';
import { readList } from '../prospects/list/list.queries.ts';
import { filterCondition } from '../prospects/list/prospect-filter.queries.ts';
import { readItems } from './attack-list.queries.ts';
import { defineAttackList } from './attack-list-definition.queries.ts';

export interface LeftOutPage {
  readonly reason: LeftOutReason;
  readonly filter: ProspectFilter;
  readonly sort: ProspectSort;
  readonly daysFromLastday: number;
  /** The run whose mails are followed up; undefined: a first mail. */
  readonly followUpOf?: number | undefined;
  readonly offset: number;
  readonly limit: number;
}

interface LeftOutList {
  readonly rows: AttackListItem[];
  readonly total: number;
}

/**
 * Reads a page of the prospects that the preview counts under a left-out reason. It is empty for a sender group of
 * another account.
 * @param now epoch milliseconds
 */
export function listLeftOut(
  account: AccountDb,
  senderGroupId: number,
  { reason, filter, sort, daysFromLastday, followUpOf, offset, limit }: LeftOutPage,
  now: number,
): Promise<LeftOutList> {
  const cutoff = new Date(resendCutoff(now, daysFromLastday));
  const scope = { accountId: account.id, senderGroupId, cutoff, followUpOf };
  const attackList = defineAttackList(scope, filterCondition(account.id, filter));
  const define: DefineList = (access) => {
    const { prospects, leftOut } = attackList(access);
    return { prospects: prospects.where(leftOut.reason(leftOut.facts), '=', reason) };
  };
  return account.snapshot(async (tx) => {
    const { ids, total } = await readList(tx, scope, { kind: 'filtered', define }, { sort, offset, limit });
    return { rows: await readItems(tx, account.id, ids), total };
  });
}
