import { listSendLogs as listCall, recordSendLog as recordCall } from '#contract/send-log.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { recordSendLog } from './record.command.ts';
import { listSendLogs } from './send-log-list.queries.ts';

export function addSendLogRoutes(addRoute: AddRoute, { now }: { now: () => number }): void {
  addRoute(listCall, ({ query, account }) => listSendLogs(account, query));
  addRoute(recordCall, ({ body, account }) => recordSendLog(account, body, now()));
}
