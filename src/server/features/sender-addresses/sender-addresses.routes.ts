import { sendSenderConfirmation as sendCall, confirmSenderAddress as takeCall } from '#contract/sender-addresses.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { type Authenticate, readBearerToken } from '../../platform/http/route.ts';
import type { Mailer } from '../../platform/mail/system-mail.ts';
import { Problem } from '../../platform/problem.ts';
import { sendSenderConfirmation } from './send-confirmation.command.ts';
import { takeSenderConfirmation } from './take-confirmation.command.ts';

interface Services {
  readonly login: Db;
  readonly now: () => number;
  readonly mailer: Mailer;
  readonly publicUrl: string;
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
  readonly authenticate: Authenticate;
}

export function addSenderAddressRoutes(addRoute: AddRoute, services: Services): void {
  addRoute(sendCall, ({ params, account }) => sendSenderConfirmation(services, account, params.id));

  addRoute(takeCall, async ({ headers, body }) => {
    const token = readBearerToken(headers.authorization ?? '');
    const caller = token === null ? null : await services.authenticate(token, { isUse: false });
    const used = await takeSenderConfirmation(services, body.key, caller?.accountId ?? null);
    return used instanceof Problem ? used : { status: 'confirmed' as const, email: used.email };
  });
}
