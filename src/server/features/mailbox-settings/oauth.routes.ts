import * as calls from '#contract/senders/oauth-apps.ts';
import { DOMAIN_CHECKS_PER_MINUTE } from '#domain/limits.ts';
import { requestRate } from '../../platform/http/request-rate.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { redirectUriOf } from '../oidc/registration.queries.ts';
import { beginConsent, type ConsentServices, endConsent } from './consent.command.ts';
import { saveOAuthApp, showOAuthApp } from './save-oauth-app.command.ts';

export function addOAuthRoutes(addRoute: AddRoute, given: Omit<ConsentServices, 'rate'>): void {
  const services = { ...given, rate: requestRate(DOMAIN_CHECKS_PER_MINUTE, given.now) };

  addRoute(calls.getOAuthApp, ({ account, params: { provider } }) =>
    account.snapshot((tx) =>
      showOAuthApp(tx, { accountId: account.id, provider }, redirectUriOf(services.urlOf(account.id))),
    ),
  );
  addRoute(calls.updateOAuthApp, ({ account, params: { provider }, body }) =>
    saveOAuthApp(account, services.secrets, { accountId: account.id, provider }, body),
  );
  addRoute(calls.authorizeMailbox, ({ account, params }) => beginConsent(services, account, params.id));
  addRoute(calls.authorizedMailbox, ({ account, body }) => endConsent(services, account, body));
}
