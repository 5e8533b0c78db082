import { saveActiveProspect as saveCall, viewProspects } from '#contract/prospect.ts';
import type { Db } from '../../platform/db.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { Refusal } from '../../platform/refusal.ts';
import { saveActiveProspect } from './active-prospect.command.ts';
import { listProspects } from './prospects.queries.ts';
import { ownsSenderGroup } from './sender-group.queries.ts';

export function addProspectRoutes(addRoute: AddRoute, { db, now }: { db: Db; now: () => number }): void {
  addRoute(viewProspects, async ({ query, accountId }) => {
    const { sender_group_id, status, sort, order, pagenate_count, pagenate_num, ...filter } = query;
    const scope = { accountId, senderGroupId: sender_group_id };
    if (!(await ownsSenderGroup(db, scope))) return { rows: [], total: 0 };
    const offset = (pagenate_num - 1) * pagenate_count;
    return listProspects(db, scope, { filter, status, sort: { sort, order }, offset, limit: pagenate_count });
  });

  addRoute(saveCall, async ({ body: { add_info, duplicate_key_update_info: update }, accountId }) => {
    const { prospect_id: prospectId, sender_group_id: senderGroupId, ...add } = add_info;
    const status = await saveActiveProspect(db, { accountId, senderGroupId, prospectId }, { add, update }, now());
    return status instanceof Refusal ? status : { status };
  });
}
