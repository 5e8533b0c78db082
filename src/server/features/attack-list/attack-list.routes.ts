/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   delivery: share_mailed_address → shared_address
 *   prospect: share_new_address_inserted, share_new_address_updated → shared_address
 *   recorded_contact: keep_recorded_address → address_contact, shared_address
 */
import {
  viewLeftOut as leftOutCall,
  listFollowUpRuns,
  previewAttackList as previewCall,
} from '#contract/attack-list.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { listLeftOut, previewAttackList } from './attack-list.queries.ts';
import { readFollowUpRuns } from './follow-up.queries.ts';

export function addAttackListRoutes(addRoute: AddRoute, { now }: { now: () => number }): void {
  addRoute(previewCall, async ({ query, account }) => {
    const { sender_group_id, days_from_lastday, follow_up_of, limit_count, sort, order, ...filter } = query;
    const settings = {
      filter,
      sort: { sort, order },
      daysFromLastday: days_from_lastday,
      followUpOf: follow_up_of,
      limit: limit_count,
    };
    return previewAttackList(account, sender_group_id, settings, now());
  });

  addRoute(listFollowUpRuns, ({ query, account }) => readFollowUpRuns(account, query, now()));

  addRoute(leftOutCall, async ({ query, account }) => {
    const { sender_group_id, days_from_lastday, follow_up_of, reason, sort, order, ...rest } = query;
    const { pagenate_count, pagenate_num, ...filter } = rest;
    const offset = (pagenate_num - 1) * pagenate_count;
    const page = {
      reason,
      filter,
      sort: { sort, order },
      daysFromLastday: days_from_lastday,
      followUpOf: follow_up_of,
      offset,
      limit: pagenate_count,
    };
    return listLeftOut(account, sender_group_id, page, now());
  });
}
