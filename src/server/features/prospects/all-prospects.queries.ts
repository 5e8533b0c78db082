import type { ProspectView } from '#contract/companies/prospects.ts';
import type { ProspectFilter, ProspectSort } from '#contract/companies/prospects-filter.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { readList } from './list/list.queries.ts';
import { checkFilter } from './list/own-condition.queries.ts';
import { type ProspectCondition, prospectList, readViews } from './prospects.queries.ts';

interface AllProspects extends Omit<ProspectCondition, 'reservations' | 'filter'> {
  readonly filter: ProspectFilter;
  readonly sort: ProspectSort;
  /** Reads these prospects in this order, instead of those of the condition. */
  readonly ids?: readonly number[] | undefined;
}

/** Rows that are read and passed on together. */
const PAGE_ROWS = 1000;
/** Above the longest list. Each id takes 8 bytes. */
const MAX_IDS = 2 ** 31 - 1;

/**
 * Reads a whole list in its order, in one snapshot: first all ids, then the rows, 1,000 at a time.
 * @param take called with each page of rows, the length of the list and the snapshot; if it refuses, the reading ends
 * @returns that refusal, that of the filter, or 404 if the account has no such sender group
 */
export function readAllProspects(
  account: AccountDb,
  senderGroupId: number,
  { ids, sort, filter, status }: AllProspects,
  take: (rows: readonly ProspectView[], total: number, tx: Tx) => Promise<Problem | undefined>,
): Promise<Problem | undefined> {
  const scope = { accountId: account.id, senderGroupId };
  return account.snapshot(async (tx) => {
    const group = await tx
      .selectFrom('sender_group')
      .select('id')
      .where('account_id', '=', account.id)
      .where('id', '=', senderGroupId)
      .executeTakeFirst();
    if (!group) return notFound();
    const checked = await checkFilter(tx, account.id, filter);
    if (checked instanceof Problem) return checked;
    const page = { sort, offset: 0, limit: MAX_IDS };
    const wanted = ids ?? (await readList(tx, scope, prospectList(scope, { filter: checked, status }), page)).ids;
    for (let start = 0; start < wanted.length; start += PAGE_ROWS) {
      const rows = await readViews(tx, scope, wanted.slice(start, start + PAGE_ROWS));
      const problem = await take(rows, wanted.length, tx);
      if (problem) return problem;
    }
    return undefined;
  });
}
