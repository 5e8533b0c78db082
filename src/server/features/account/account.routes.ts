import { getAccount } from '#contract/account.ts';
import type { Db } from '../../platform/db.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { notFound } from '../../platform/refusal.ts';

export function addAccountRoutes(addRoute: AddRoute, { db }: { db: Db }): void {
  addRoute(getAccount, async ({ params, accountId }) => {
    if (params.id !== accountId) return notFound();
    return db
      .selectFrom('account')
      .select(['id', 'email', 'name', 'company', 'email_before_confirmation'])
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow();
  });
}
