import type { KeyObject } from 'node:crypto';
import { takeSendGridEvents as takeCall } from '#contract/answers/sendgrid-events.ts';
import type { CallAnswer } from '#contract/call.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { isSigned } from './signature.ts';
import { takeEvents } from './take-events.command.ts';

interface Parts {
  readonly now: () => number;
  /** Opens the account that a signed event names; the request has no session. */
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
  /** The public keys of SendGrid's signatures; none: events are answered with 404. */
  readonly eventKeys: readonly KeyObject[];
}

export function addSendGridEventRoutes(addRoute: AddRoute, { now, accountDb, eventKeys }: Parts): void {
  addRoute(takeCall, async ({ headers, body, bytes }): Promise<CallAnswer<typeof takeCall> | Problem> => {
    if (eventKeys.length === 0) return notFound();
    const signed = {
      signature: headers['x-twilio-email-event-webhook-signature'],
      timestamp: headers['x-twilio-email-event-webhook-timestamp'],
      bytes,
    };
    if (!eventKeys.some((key) => isSigned(signed, key, now()))) {
      return new Problem('invalid_signature', '署名を確認できません。SendGridの設定を確認してください。');
    }
    await takeEvents(accountDb, body, signed);
    return { status: 'accepted' };
  });
}
