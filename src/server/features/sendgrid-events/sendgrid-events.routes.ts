import type { KeyObject } from 'node:crypto';
import type { CallAnswer } from '#contract/call.ts';
import { takeSendGridEvents as takeCall } from '#contract/sendgrid-events.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { isSigned } from './signature.ts';
import { takeEvents } from './take-events.command.ts';

interface Parts {
  readonly now: () => number;
  /** Opens the account that a signed event names; the request has no session. */
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
  /** The public key of SendGrid's signature; null: events are answered with 404. */
  readonly eventKey: KeyObject | null;
}

export function addSendGridEventRoutes(addRoute: AddRoute, { now, accountDb, eventKey }: Parts): void {
  addRoute(takeCall, async ({ headers, body, bytes }): Promise<CallAnswer<typeof takeCall> | Problem> => {
    if (eventKey === null) return notFound();
    const signed = {
      signature: headers['x-twilio-email-event-webhook-signature'],
      timestamp: headers['x-twilio-email-event-webhook-timestamp'],
      bytes,
    };
    if (!isSigned(signed, eventKey, now())) {
      return new Problem(401, 'invalid_signature', '署名を確認できません。SendGridの設定を確認してください。');
    }
    await takeEvents(accountDb, body, signed);
    return { status: 'accepted' };
  });
}
