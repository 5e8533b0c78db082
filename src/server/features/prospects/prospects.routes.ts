/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   prospect: keep_search_deleted, keep_search_inserted → prospect_search, prospect_total
 *   prospect: keep_search_truncated, keep_search_updated → prospect_search, prospect_total
 */
import {
  countIndustries as countIndustriesCall,
  listActiveProspects as listActiveCall,
  listProspects as listCall,
  saveActiveProspect as saveCall,
  viewProspects as viewCall,
} from '#contract/companies/prospects.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { Problem } from '../../platform/problem.ts';
import { saveActiveProspect } from './active-prospect.command.ts';
import { countIndustries } from './industries.queries.ts';
import { checkOwn } from './list/own-condition.queries.ts';
import { listActiveProspects, listOwnProspects } from './prospect-list.queries.ts';
import { viewProspects } from './prospects.queries.ts';

export function addProspectRoutes(addRoute: AddRoute, { now }: { now: () => number }): void {
  addRoute(viewCall, async ({ query, account }) => {
    const { sender_group_id, status, sender_id, reservation_id, sort, order, ...rest } = query;
    const { pagenate_count, pagenate_num, own_columns, ...wanted } = rest;
    const offset = (pagenate_num - 1) * pagenate_count;
    const own = await checkOwn(account, wanted, own_columns);
    if (own instanceof Problem) return own;
    return viewProspects(account, sender_group_id, {
      ...own,
      status,
      reservations: { senderId: sender_id, reservationId: reservation_id },
      sort: { sort, order },
      offset,
      limit: pagenate_count,
    });
  });

  addRoute(countIndustriesCall, ({ query, account }) => countIndustries(account, query.column));

  addRoute(listCall, ({ query, account }) => listOwnProspects(account, query));

  addRoute(listActiveCall, ({ query, account }) => listActiveProspects(account, query));

  addRoute(saveCall, ({ body, account }) => saveActiveProspect(account, body, now()));
}
