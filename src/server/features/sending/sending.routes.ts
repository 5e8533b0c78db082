import { getSendLog, sendMail } from '#contract/sending.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { notFound } from '../../platform/refusal.ts';
import { acceptSend } from './accept.command.ts';
import { runProgress } from './progress.queries.ts';

export function addSendingRoutes(addRoute: AddRoute, { now }: { now: () => number }): void {
  addRoute(sendMail, ({ params, headers, body, account }) => {
    const idempotencyKey = headers['idempotency-key'] ?? null;
    return acceptSend(account, { senderId: params.sender_id, body, idempotencyKey }, now());
  });

  addRoute(getSendLog, ({ params, account }) =>
    account.transaction(async (tx) => (await runProgress(tx, account.id, params.id)) ?? notFound()),
  );
}
