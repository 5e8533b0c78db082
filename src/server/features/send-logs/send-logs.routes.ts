/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   recorded_contact: keep_recorded_address → address_contact, shared_address
 */
import {
  viewDeliveries as deliveriesCall,
  followSendLogs as eventsCall,
  getDelivery,
  listSendLogs as listCall,
  viewSendLogs as logsCall,
  viewRunOrigin as originCall,
  recordSendLog as recordCall,
} from '#contract/sending/send-logs.ts';
import type { AccountHosts } from '../../platform/http/hosts.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { MemberDbOf } from '../../platform/limits/account-limits.ts';
import { recordSendLog } from './record.command.ts';
import { runEvents } from './run-events.ts';
import { listSendLogs, viewRunOrigin, viewSendLogs } from './run-list.queries.ts';
import { viewDeliveries, viewDelivery } from './run-mails.queries.ts';

interface Parts {
  readonly now: () => number;
  readonly memberDb: MemberDbOf;
  readonly accountHosts: Pick<AccountHosts, 'isHome'>;
}

export function addSendLogRoutes(addRoute: AddRoute, { now, memberDb, accountHosts }: Parts): void {
  const events = runEvents({
    now,
    isHome: accountHosts.isHome,
    accountOf: (member) => memberDb(member, eventsCall, () => false),
  });
  addRoute(listCall, ({ query, account }) => listSendLogs(account, query));
  addRoute(eventsCall, ({ account, token, host, ip }) => events.open(account, { token, host, ip }));
  addRoute(logsCall, ({ query, account }) => viewSendLogs(account, query, now()));
  addRoute(originCall, ({ params, account }) => viewRunOrigin(account, params.id));
  addRoute(deliveriesCall, ({ params, query, account }) => viewDeliveries(account, params.id, query));
  addRoute(getDelivery, ({ params, account }) => viewDelivery(account, params.id));
  addRoute(recordCall, ({ body, account }) => recordSendLog(account, body, now()));
}
