import { viewLeftOut as leftOutCall, previewAttackList as previewCall } from '#contract/attack-list.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { previewAttackList } from './attack-list.queries.ts';
import { listLeftOut } from './left-out-list.queries.ts';

export function addAttackListRoutes(addRoute: AddRoute, { now }: { now: () => number }): void {
  addRoute(previewCall, async ({ query, account }) => {
    const { sender_group_id, days_from_lastday, limit_count, sort, order, ...filter } = query;
    const settings = { filter, sort: { sort, order }, daysFromLastday: days_from_lastday, limit: limit_count };
    return previewAttackList(account, sender_group_id, settings, now());
  });

  addRoute(leftOutCall, async ({ query, account }) => {
    const { sender_group_id, days_from_lastday, reason, sort, order, pagenate_count, pagenate_num, ...filter } = query;
    const offset = (pagenate_num - 1) * pagenate_count;
    const page = {
      reason,
      filter,
      sort: { sort, order },
      daysFromLastday: days_from_lastday,
      offset,
      limit: pagenate_count,
    };
    return listLeftOut(account, sender_group_id, page, now());
  });
}
