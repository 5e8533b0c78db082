import { expressionBuilder, sql } from 'kysely';
import type { AttackListItem } from '#contract/attack-list.ts';
import type { ProspectFilter, ProspectSort } from '#contract/prospect.ts';
import { resendCutoff } from '#domain/eligibility.ts';
import type { Db } from '../../platform/db.ts';
import type { DB } from '../../platform/db-types.ts';
import { findFew } from '../prospects/few-matches.queries.ts';
import { prospectCondition } from '../prospects/prospect-filter.queries.ts';
import { sortedProspectIds } from '../prospects/prospect-order.queries.ts';
import type { GroupScope } from '../prospects/sender-group.queries.ts';
import { isEligible } from './eligibility.queries.ts';
import { countEligibility, type EligibilityCounts } from './left-out-counts.queries.ts';

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
 * reason. The group is the account's. @param now epoch milliseconds
 */
export async function previewAttackList(
  db: Db,
  group: GroupScope,
  { filter, sort, daysFromLastday, limit }: AttackListSettings,
  now: number,
): Promise<AttackListPreview> {
  const scope = { ...group, cutoff: new Date(resendCutoff(now, daysFromLastday)) };
  const { where: matches } = await findFew(db, group.accountId, await prospectCondition(db, group.accountId, filter));
  const eligibleOnly = eb.and([matches, isEligible(scope)]);
  const [ids, counts] = await Promise.all([
    sortedProspectIds(db, group, eligibleOnly, sort, { offset: 0, limit }),
    countEligibility(db, scope, matches),
  ]);
  return { rows: await readItems(db, group.accountId, ids), ...counts };
}

async function readItems(db: Db, accountId: number, ids: readonly number[]): Promise<AttackListItem[]> {
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
