import type { FastifyBaseLogger } from 'fastify';
import {
  confirmEmail,
  issueTicket as issueTicketCall,
  sendConfirmation as sendCall,
} from '#contract/account/email-change.ts';
import { requestPasswordReset, resetPassword as resetPasswordCall } from '#contract/account/password-reset.ts';
import {
  confirmSenderAddress,
  sendSenderConfirmation as sendToSenderCall,
} from '#contract/senders/sender-addresses.ts';
import type { Db } from '../../platform/database/db.ts';
import { type AddRoute, type Authenticate, readBearerToken } from '../../platform/http/route.ts';
import { notFound } from '../../platform/problem.ts';
import { confirmAddress, issueTicket, sendConfirmation } from './email-change.command.ts';
import type { MailServices, VisitorServices } from './mailed-key.ts';
import { countRequest, resetPassword, sendResetLink } from './password-reset.command.ts';
import { sendSenderConfirmation, takeSenderConfirmation } from './sender-confirmation.command.ts';

type ResetServices = MailServices & VisitorServices & { readonly log: Pick<FastifyBaseLogger, 'error'> };

export function addPasswordResetRoutes(addRoute: AddRoute, services: ResetServices): void {
  addRoute(requestPasswordReset, async ({ body: { email }, ip }) => {
    const problem = await countRequest(services, { email, ip });
    if (problem) return problem;
    void sendResetLink(services, email).catch((error: unknown) =>
      services.log.error({ err: error }, 'could not mail a password reset link; the member must request another'),
    );
    return { status: 'accepted' as const };
  });

  addRoute(resetPasswordCall, ({ body: { key, new_password }, ip }) =>
    resetPassword(services, { key, new_password, ip }),
  );
}

export function addEmailChangeRoutes(addRoute: AddRoute, services: MailServices & { readonly login: Db }): void {
  addRoute(issueTicketCall, async ({ params, account }) =>
    params.id === account.id ? issueTicket(account, services.now()) : notFound(),
  );

  addRoute(sendCall, async ({ params, body, account }) =>
    params.id === account.id ? sendConfirmation(services, account, body) : notFound(),
  );

  addRoute(confirmEmail, async ({ params, body, account }) =>
    params.id === account.id ? confirmAddress(account, body.confirmation_token, services.now()) : notFound(),
  );
}

type SenderServices = MailServices & VisitorServices & { readonly authenticate: Authenticate };

export function addSenderConfirmationRoutes(addRoute: AddRoute, services: SenderServices): void {
  addRoute(sendToSenderCall, ({ params, account }) => sendSenderConfirmation(services, account, params.id));

  addRoute(confirmSenderAddress, async ({ headers, body, host, ip }) => {
    const token = readBearerToken(headers.authorization ?? '');
    const caller = token === null ? null : await services.authenticate(token, { host, ip, isUse: false });
    const isInside = caller !== null && !caller.isOutside && !caller.needsTwoFactor;
    return takeSenderConfirmation(services, body.key, isInside ? caller.accountId : null);
  });
}
