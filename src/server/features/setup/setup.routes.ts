import { checkSetup, setUp as setUpCall } from '#contract/setup.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { checkSetupKey, setUp } from './set-up.command.ts';

interface Services {
  readonly login: Db;
  readonly now: () => number;
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
}

export function addSetupRoutes(addRoute: AddRoute, services: Services): void {
  addRoute(
    checkSetup,
    async ({ body: { key } }) => (await checkSetupKey(services, key)) ?? { status: 'open' as const },
  );

  addRoute(setUpCall, ({ body }) => setUp(services, body));
}
