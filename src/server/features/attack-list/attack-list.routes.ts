/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   delivery: share_mailed_address → shared_address
 *   prospect: share_new_address_inserted, share_new_address_updated → shared_address
 *   recorded_contact: keep_recorded_address → address_contact, shared_address
 */
import type { z } from 'zod';
import {
  viewLeftOut as leftOutCall,
  listFollowUpRuns,
  previewAttackList as previewCall,
} from '#contract/companies/attack-list.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { Problem } from '../../platform/problem.ts';
import { checkOwn } from '../prospects/list/own-condition.queries.ts';
import { listLeftOut, previewAttackList } from './attack-list.queries.ts';
import { readFollowUpRuns } from './follow-up.queries.ts';

type Query = Omit<z.output<(typeof previewCall)['query']>, 'sender_group_id' | 'sender_id' | 'send_at' | 'limit_count'>;

async function settingsOf(account: AccountDb, query: Query, limit: number) {
  const { days_from_lastday, follow_up_of, send_to, prospect_ids, status, sort, order, own_columns, ...wanted } = query;
  const own = await checkOwn(account, wanted, own_columns);
  if (own instanceof Problem) return own;
  const of = { ...own, status, chosen: prospect_ids, followUpOf: follow_up_of, sendTo: send_to };
  return { ...of, sort: { sort, order }, daysFromLastday: days_from_lastday, limit };
}

export function addAttackListRoutes(addRoute: AddRoute, { now }: { now: () => number }): void {
  addRoute(previewCall, async ({ query, account }) => {
    const { sender_group_id, sender_id: senderId, send_at: sendAt, limit_count, ...rest } = query;
    const settings = await settingsOf(account, rest, limit_count);
    if (settings instanceof Problem) return settings;
    return previewAttackList(account, sender_group_id, { ...settings, senderId, sendAt: sendAt?.getTime() }, now());
  });

  addRoute(listFollowUpRuns, ({ query, account }) => readFollowUpRuns(account, query, now()));

  addRoute(leftOutCall, async ({ query, account }) => {
    const { sender_group_id, reason, pagenate_count, pagenate_num, ...rest } = query;
    const offset = (pagenate_num - 1) * pagenate_count;
    const settings = await settingsOf(account, rest, pagenate_count);
    return settings instanceof Problem
      ? settings
      : listLeftOut(account, sender_group_id, { ...settings, reason, offset }, now());
  });
}
