import { sql } from 'kysely';
import type { AttackListItem } from '#contract/attack-list.ts';
import type { ProspectFilter, ProspectSort } from '#contract/prospect.ts';
import { LEFT_OUT_REASONS, type LeftOutReason, resendCutoff } from '#domain/eligibility.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Db } from '../../platform/db.ts';
import { listFound } from '../prospects/list/filtered-list.queries.ts';
import { prospectCondition } from '../prospects/list/prospect-filter.queries.ts';
import { judgedProspects } from './eligibility.queries.ts';

export interface AttackListSettings {
  readonly filter: ProspectFilter;
  readonly sort: ProspectSort;
  readonly daysFromLastday: number;
  readonly limit: number;
}

export interface AttackListPreview {
  readonly rows: AttackListItem[];
  readonly matched: number;
  readonly eligible: number;
  readonly left_out: Record<LeftOutReason, number>;
}

/**
 * The first eligible prospects in the list's order, and of all that the filter lets through how many are left out for which
 * reason; a group that is not the account's has nothing in it. @param now epoch milliseconds
 */
export function previewAttackList(
  account: AccountDb,
  senderGroupId: number,
  { filter, sort, daysFromLastday, limit }: AttackListSettings,
  now: number,
): Promise<AttackListPreview> {
  const scope = { accountId: account.id, senderGroupId, cutoff: new Date(resendCutoff(now, daysFromLastday)) };
  const judged = judgedProspects(scope, prospectCondition(account.id, filter));
  return account.snapshot(async (tx) => {
    const { ids, total, leftOut } = await listFound(tx, scope, judged, { sort, offset: 0, limit });
    const counts = LEFT_OUT_REASONS.map((reason) => [reason, leftOut[reason] ?? 0] as const);
    return {
      rows: await readItems(tx, account.id, ids),
      matched: counts.reduce((sum, [, count]) => sum + count, total),
      eligible: total,
      left_out: Object.fromEntries(counts) as Record<LeftOutReason, number>,
    };
  });
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
