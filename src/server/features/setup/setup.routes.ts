import { checkSetup, setUp as setUpCall } from '#contract/account/setup.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { checkSetupKey, type Services, setUp } from './set-up.command.ts';

export function addSetupRoutes(addRoute: AddRoute, services: Services): void {
  addRoute(
    checkSetup,
    async ({ body: { key } }) => (await checkSetupKey(services, key)) ?? { status: 'open' as const },
  );

  addRoute(setUpCall, ({ body }) => setUp(services, body));
}
