/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   send_log: notice_of_end, notice_of_failures, notice_of_limit, notice_of_stop → notice_event
 */
import { getSendLog, sendMail } from '#contract/sending/runs.ts';
import {
  decideUnknown as decideCall,
  retryFailures as retryCall,
  retryDelivery as retryOneCall,
  steerRun as steerCall,
} from '#contract/sending/runs-changes.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { notFound } from '../../platform/problem.ts';
import { acceptSend } from './accept.command.ts';
import { decideUnknown } from './decide-unknown.command.ts';
import type { Mailing } from './prepare-run.ts';
import { runProgress } from './progress.queries.ts';
import { retryDelivery, retryFailures } from './retry.command.ts';
import { type GiveBack, steerRun } from './run-control.command.ts';

interface Parts extends Mailing {
  readonly now: () => number;
  readonly giveBack: GiveBack;
}

export function addRunRoutes(addRoute: AddRoute, { now, transport, urlOf, leavesMachine, giveBack }: Parts): void {
  addRoute(sendMail, ({ params, headers, body, account }) => {
    const idempotencyKey = headers['idempotency-key'] ?? null;
    const mailing = { transport, urlOf, leavesMachine };
    return acceptSend(account, { senderId: params.sender_id, body, idempotencyKey, ...mailing }, now());
  });

  addRoute(getSendLog, ({ params, account }) =>
    account.snapshot(async (tx) => (await runProgress(tx, account.id, params.id, now())) ?? notFound()),
  );

  addRoute(steerCall, ({ params, body, account }) => steerRun(account, params.id, body.update_info.state, giveBack));
  addRoute(retryCall, ({ params, account }) => retryFailures(account, params.id, now()));
  addRoute(retryOneCall, ({ params, account }) => retryDelivery(account, params.id, now()));
  addRoute(decideCall, ({ params, body, account }) => {
    const { update_info, claim_no: claimNo } = body;
    return decideUnknown(account, params.id, { state: update_info.state, claimNo }, now());
  });
}
