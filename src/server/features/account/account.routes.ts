/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   account: date_move → its own row
 *   member: add_notice_member → notice_member
 */
import { getAccount, updateAccount } from '#contract/account/account.ts';
import type { Role } from '#domain/account/role.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Db } from '../../platform/database/db.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { Mailer } from '../../platform/mail/system-mail.ts';
import { notFound } from '../../platform/problem.ts';
import { isDemo } from '../audit/is-demo.queries.ts';
import { ownerProblem } from '../auth/prove-owner.ts';
import { hasPrimaryEmail } from '../people/people.queries.ts';
import { readRights } from '../rights/my-rights.queries.ts';
import { moveToConfirmedAddress, setPendingAddress } from './move-address.command.ts';
import { updateProfile } from './profile.command.ts';

export function addAccountRoutes(
  addRoute: AddRoute,
  services: { readonly login: Db; readonly now: () => number; readonly mailer: Mailer },
): void {
  addRoute(getAccount, ({ params, account }) =>
    account.snapshot(async (tx) => {
      const found = await tx
        .selectFrom('account')
        .innerJoin('member', 'member.account_id', 'account.id')
        .select(['account.id', 'member.email', 'member.name', 'account.company', 'member.email_before_confirmation'])
        .select('member.role')
        .where('account.id', '=', params.id)
        .where('account.id', '=', account.id)
        .where('member.id', '=', account.memberId)
        .executeTakeFirst();
      if (!found) return notFound();
      const { role, ...account_info } = found;
      const member = await readRights(tx, account, role as Role);
      const demo = (await isDemo(tx, account.id)) ? ({ is_demo: 1 } as const) : {};
      const people = (await hasPrimaryEmail(tx, account.id)) ? ({ has_primary_email: 1 } as const) : {};
      return { ...account_info, member, ...demo, ...people, version: contentVersion(found.company) };
    }),
  );

  addRoute(updateAccount, async ({ params, body, account, token, ip }) => {
    const { version, update_info: info, current_password } = body;
    if (params.id !== account.id) return notFound();
    const problem =
      info.email !== undefined
        ? await moveToConfirmedAddress(services, account, info.email)
        : info.email_before_confirmation !== undefined
          ? ((await ownerProblem(services, { account, token, ip }, current_password)) ??
            (await setPendingAddress(account, info.email_before_confirmation, services.now())))
          : await updateProfile(account, { ...info, version }, services.now());
    return problem ?? { status: 'updated' as const, id: account.id };
  });
}
