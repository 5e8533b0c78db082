import { viewDeliveries as deliveriesCall, getDelivery, viewSendLogs as logsCall } from '#contract/send-history.ts';
import { listSendLogs as listCall, recordSendLog as recordCall } from '#contract/send-log.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { recordSendLog } from './record.command.ts';
import { viewDeliveries, viewDelivery, viewSendLogs } from './send-history.queries.ts';
import { listSendLogs } from './send-log-list.queries.ts';

export function addSendLogRoutes(addRoute: AddRoute, { now }: { now: () => number }): void {
  addRoute(listCall, ({ query, account }) => listSendLogs(account, query));
  addRoute(logsCall, ({ query, account }) => viewSendLogs(account, query, now()));
  addRoute(deliveriesCall, ({ params, query, account }) => viewDeliveries(account, params.id, query));
  addRoute(getDelivery, ({ params, account }) => viewDelivery(account, params.id));
  addRoute(recordCall, ({ body, account }) => recordSendLog(account, body, now()));
}
