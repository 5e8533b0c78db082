import * as calls from '#contract/notices/notices.ts';
import { countUnreadNotices } from '#contract/notices/notices.ts';
import { memberKeyOf } from '../../platform/database/account-db.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { countUnread, listOwnNotices } from './notice-list.queries.ts';
import { readSettings, updateSettings } from './notice-settings.command.ts';
import { readAllNotices, readNotice } from './read-notices.command.ts';

export function addNoticeRoutes(addRoute: AddRoute): void {
  addRoute(calls.listNotices, ({ query, account }) => listOwnNotices(account, query));

  addRoute(countUnreadNotices, ({ account }) =>
    account.snapshot(async (tx) => ({ unread: await countUnread(tx, memberKeyOf(account)) })),
  );

  addRoute(calls.updateNotice, ({ params, account }) => readNotice(account, params.id));

  addRoute(calls.readNotices, ({ body, account }) => readAllNotices(account, body.until_id));

  addRoute(calls.getNoticeSettings, ({ account }) => readSettings(account));

  addRoute(calls.updateNoticeSettings, ({ body, account }) => updateSettings(account, body.update_info));
}
