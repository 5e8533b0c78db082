import { getSendLog, sendMail } from '#contract/sending.ts';
import type { Db } from '../../platform/db.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { acceptSend } from './accept.command.ts';
import { runProgress } from './progress.queries.ts';

export function addSendingRoutes(addRoute: AddRoute, { db, now }: { db: Db; now: () => number }): void {
  addRoute(sendMail, async ({ params, body, headers, accountId }) => {
    const idempotencyKey = headers['idempotency-key'] ?? null;
    if (idempotencyKey !== null && !isIdempotencyKey(idempotencyKey)) {
      return new Refusal(
        400,
        'invalid_idempotency_key',
        '操作の識別子が正しくありません。画面を読み込み直してください。',
      );
    }
    return acceptSend(db, { accountId, senderId: params.sender_id, body, idempotencyKey }, now());
  });

  addRoute(getSendLog, async ({ params, accountId }) => (await runProgress(db, accountId, params.id)) ?? notFound());
}

const isIdempotencyKey = (value: string | string[]): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]{8,200}$/.test(value);
