import { getAccount } from '#contract/account.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { notFound } from '../../platform/refusal.ts';

export function addAccountRoutes(addRoute: AddRoute): void {
  addRoute(getAccount, async ({ params, account }) => {
    const found = await account.transaction((tx) =>
      tx
        .selectFrom('account')
        .select(['id', 'email', 'name', 'company', 'email_before_confirmation'])
        .where('id', '=', params.id)
        .where('id', '=', account.id)
        .executeTakeFirst(),
    );
    return found ?? notFound();
  });
}
