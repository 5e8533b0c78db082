import { previewAttackList as previewCall } from '#contract/attack-list.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { previewAttackList } from './attack-list.queries.ts';

export function addAttackListRoutes(addRoute: AddRoute, { now }: { now: () => number }): void {
  addRoute(previewCall, async ({ query, account }) => {
    const { sender_group_id, days_from_lastday, limit_count, sort, order, ...filter } = query;
    const settings = { filter, sort: { sort, order }, daysFromLastday: days_from_lastday, limit: limit_count };
    return previewAttackList(account, sender_group_id, settings, now());
  });
}
