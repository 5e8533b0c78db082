import { sql } from 'kysely';
import type {
  AttackListItem,
  viewLeftOut as leftOutCall,
  previewAttackList as previewCall,
} from '#contract/attack-list.ts';
import type { CallAnswer } from '#contract/call.ts';
import type { ProspectFilter, ProspectSort } from '#contract/prospects-filter.ts';
import { LEFT_OUT_REASONS, type LeftOutReason, resendCutoff } from '#domain/sending/eligibility.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';
import type { DefineList } from '../prospects/list/filtered-list.queries.ts';
import { readList } from '../prospects/list/list.queries.ts';
import { filterCondition, isEmptyFilter } from '../prospects/list/prospect-filter.queries.ts';
import { defineAttackList } from './attack-list-definition.queries.ts';

export interface AttackListSettings {
  readonly filter: ProspectFilter;
  readonly sort: ProspectSort;
  readonly daysFromLastday: number;
  /** The run whose mails are followed up; undefined: a first mail. */
  readonly followUpOf?: number | undefined;
  readonly limit: number;
}

const scopeOf = (
  account: AccountDb,
  senderGroupId: number,
  { daysFromLastday, followUpOf }: AttackListSettings,
  now: number,
) => ({ accountId: account.id, senderGroupId, cutoff: new Date(resendCutoff(now, daysFromLastday)), followUpOf });

/**
 * Reads the first eligible prospects, and counts those that pass the filter but are left out, by reason.
 * The rows and all counts are empty for a sender group of another account.
 * @param now epoch milliseconds
 */
export function previewAttackList(
  account: AccountDb,
  senderGroupId: number,
  settings: AttackListSettings,
  now: number,
): Promise<CallAnswer<typeof previewCall>> {
  const { filter, sort, limit } = settings;
  const scope = scopeOf(account, senderGroupId, settings, now);
  const define = defineAttackList(scope, filterCondition(account.id, filter), { isOfAll: isEmptyFilter(filter) });
  return account.snapshot(async (tx) => {
    const { ids, total, leftOut } = await readList(tx, scope, { kind: 'filtered', define }, { sort, offset: 0, limit });
    const counts = LEFT_OUT_REASONS.map((reason) => [reason, leftOut[reason] ?? 0] as const);
    return {
      rows: await readItems(tx, account.id, ids),
      matched: counts.reduce((sum, [, count]) => sum + count, total),
      eligible: total,
      left_out: Object.fromEntries(counts) as Record<LeftOutReason, number>,
    };
  });
}

/** Reads prospects in the order of the ids. A prospect that was deleted meanwhile is missing. */
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

interface LeftOutPage extends AttackListSettings {
  readonly reason: LeftOutReason;
  readonly offset: number;
}

/**
 * Reads a page of the prospects that the preview counts under a left-out reason. It is empty for a sender group of
 * another account.
 * @param now epoch milliseconds
 */
export function listLeftOut(
  account: AccountDb,
  senderGroupId: number,
  page: LeftOutPage,
  now: number,
): Promise<CallAnswer<typeof leftOutCall>> {
  const { reason, filter, sort, offset, limit } = page;
  const scope = scopeOf(account, senderGroupId, page, now);
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
