import * as calls from '#contract/email-change.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { confirmAddress, issueTicket, type Services, sendConfirmation } from './email-change.command.ts';

const isOther = (account: MemberDb, params: { id: number }) => params.id !== account.id;

export function addEmailChangeRoutes(addRoute: AddRoute, services: Services): void {
  addRoute(calls.issueTicket, async ({ params, account }) => {
    if (isOther(account, params)) return notFound();
    const ticket = await issueTicket(account, services.now());
    return ticket instanceof Problem ? ticket : { confirmation_token: ticket };
  });

  addRoute(calls.sendConfirmation, async ({ params, body, account }) => {
    if (isOther(account, params)) return notFound();
    return (await sendConfirmation(services, account, body)) ?? { status: 'sent' as const };
  });

  addRoute(calls.confirmEmail, async ({ params, body, account }) => {
    if (isOther(account, params)) return notFound();
    return (await confirmAddress(account, body.confirmation_token, services.now())) ?? { status: 'confirmed' as const };
  });
}
