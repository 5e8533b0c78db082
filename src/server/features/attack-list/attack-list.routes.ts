import { previewAttackList as previewCall } from '#contract/attack-list.ts';
import type { Db } from '../../platform/db.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { ownsSenderGroup } from '../prospects/sender-group.queries.ts';
import { previewAttackList } from './attack-list.queries.ts';
import { nobodyLeftOut } from './left-out-counts.queries.ts';

export function addAttackListRoutes(addRoute: AddRoute, { db, now }: { db: Db; now: () => number }): void {
  addRoute(previewCall, async ({ query, accountId }) => {
    const { sender_group_id, days_from_lastday, limit_count, sort, order, ...filter } = query;
    const scope = { accountId, senderGroupId: sender_group_id };
    // As in the prospect list: a group that is not the account's has nothing in it.
    if (!(await ownsSenderGroup(db, scope))) return { rows: [], matched: 0, eligible: 0, left_out: nobodyLeftOut() };
    const settings = { filter, sort: { sort, order }, daysFromLastday: days_from_lastday, limit: limit_count };
    return previewAttackList(db, scope, settings, now());
  });
}
