import type { FastifyBaseLogger } from 'fastify';
import * as calls from '#contract/account/oidc.ts';
import { DOMAIN_CHECKS_PER_MINUTE } from '#domain/limits.ts';
import { requestRate } from '../../platform/http/request-rate.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { LogInServices } from './log-in.command.ts';
import { finishLogIn, readProvider, startLogIn } from './log-in.command.ts';
import { providerPlaces } from './provider-places.ts';
import { contentOf, loginLinkOf, readRegistration, redirectUriOf, versionOf } from './registration.queries.ts';
import { type SaveServices, saveRegistration } from './save-registration.command.ts';

export function addOidcRoutes(
  addRoute: AddRoute,
  given: Omit<SaveServices, 'rate'> & Omit<LogInServices, 'inPlace'> & { readonly log: FastifyBaseLogger },
): void {
  const services = { ...given, rate: requestRate(DOMAIN_CHECKS_PER_MINUTE, given.now), inPlace: providerPlaces() };

  addRoute(calls.getOidc, ({ account }) =>
    account.snapshot(async (tx) => {
      const url = services.accountHosts.urlOf(account.id);
      const stored = await readRegistration(tx, { accountId: account.id });
      return {
        registration: contentOf(stored),
        redirect_uri: redirectUriOf(url),
        login_link: stored && loginLinkOf(url, stored),
        version: versionOf(stored),
      };
    }),
  );

  addRoute(calls.updateOidc, ({ body, ...asker }) => saveRegistration(services, asker, body));

  addRoute(calls.checkOidc, ({ body, host }) => readProvider(services, { key: body.key, host }));
  addRoute(calls.startOidc, ({ body, host }) => startLogIn(services, { ...body, host }));
  addRoute(calls.finishOidc, ({ body, headers, host, ip }) =>
    finishLogIn(services, { ...body, host, ip, agent: headers['user-agent'] }),
  );
}
