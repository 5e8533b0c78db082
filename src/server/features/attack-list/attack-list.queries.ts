import { expressionBuilder, sql } from 'kysely';
import type { AttackListItem } from '#contract/attack-list.ts';
import type { ProspectFilter, ProspectSort } from '#contract/prospect.ts';
import { resendCutoff } from '#domain/eligibility.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Db } from '../../platform/db.ts';
import type { DB } from '../../platform/db-types.ts';
import { expectMany, findFew } from '../prospects/few-matches.queries.ts';
import { prospectCondition } from '../prospects/prospect-filter.queries.ts';
import { sortedProspectIds } from '../prospects/prospect-order.queries.ts';
import { ownsSenderGroup } from '../prospects/sender-group.queries.ts';
import { isEligible } from './eligibility.queries.ts';
import { countEligibility, type EligibilityCounts, nobodyLeftOut } from './left-out-counts.queries.ts';

export interface AttackListSettings {
  readonly filter: ProspectFilter;
  readonly sort: ProspectSort;
  readonly daysFromLastday: number;
  readonly limit: number;
}

export interface AttackListPreview extends EligibilityCounts {
  readonly rows: AttackListItem[];
}

const eb = expressionBuilder<DB, 'prospect'>();

/**
 * The first eligible prospects in the list's order, and of all that the filter lets through how many are left out for which
 * reason; a group that is not the account's has nothing in it. @param now epoch milliseconds
 */
export async function previewAttackList(
  account: AccountDb,
  senderGroupId: number,
  { filter, sort, daysFromLastday, limit }: AttackListSettings,
  now: number,
): Promise<AttackListPreview> {
  const group = { accountId: account.id, senderGroupId };
  const scope = { ...group, cutoff: new Date(resendCutoff(now, daysFromLastday)) };
  const found = await account.transaction(async (tx) => {
    if (!(await ownsSenderGroup(tx, group))) return null;
    const where = await prospectCondition(tx, account.id, filter);
    return (await findFew(tx, account.id, where)) ?? { where, count: null };
  });
  if (found === null) return { rows: [], matched: 0, eligible: 0, left_out: nobodyLeftOut() };
  const eligibleOnly = eb.and([found.where, isEligible(scope)]);
  const [rows, counts] = await Promise.all([
    account.transaction(async (tx) => {
      if (found.count === null) await expectMany(tx);
      return readItems(tx, account.id, await sortedProspectIds(tx, group, eligibleOnly, sort, { offset: 0, limit }));
    }),
    account.snapshot((tx) => countEligibility(tx, scope, found.where)),
  ]);
  return { rows, ...counts };
}

/** These prospects in the order of the ids; one deleted meanwhile is missing. */
export async function readItems(db: Db, accountId: number, ids: readonly number[]): Promise<AttackListItem[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('prospect')
    .select(['id', 'company_name', 'company_email', 'ceo'])
    .where('account_id', '=', accountId)
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .execute();
  const items = new Map(
    rows.map(({ id, company_name, company_email, ceo }) => [
      id,
      { prospect_id: id, company_name, company_email: company_email ?? '', person_in_charge: ceo ?? '' },
    ]),
  );
  return ids.flatMap((id) => items.get(id) ?? []);
}
