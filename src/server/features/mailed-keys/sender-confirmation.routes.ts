import { sendSenderConfirmation as sendCall, confirmSenderAddress as takeCall } from '#contract/sender-addresses.ts';
import { type AddRoute, type Authenticate, readBearerToken } from '../../platform/http/route.ts';
import { Problem } from '../../platform/problem.ts';
import {
  type SendServices,
  sendSenderConfirmation,
  type TakeServices,
  takeSenderConfirmation,
} from './sender-confirmation.command.ts';

interface Services extends SendServices, TakeServices {
  readonly authenticate: Authenticate;
}

export function addSenderAddressRoutes(addRoute: AddRoute, services: Services): void {
  addRoute(sendCall, ({ params, account }) => sendSenderConfirmation(services, account, params.id));

  addRoute(takeCall, async ({ headers, body, host }) => {
    const token = readBearerToken(headers.authorization ?? '');
    const caller = token === null ? null : await services.authenticate(token, { host, isUse: false });
    const used = await takeSenderConfirmation(services, body.key, caller?.accountId ?? null);
    return used instanceof Problem ? used : { status: 'confirmed' as const, email: used.email };
  });
}
