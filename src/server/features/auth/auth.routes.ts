import type { FastifyBaseLogger } from 'fastify';
import { changePassword as changePasswordCall, login as loginCall, logout } from '#contract/account/auth.ts';
import type { Db } from '../../platform/database/db.ts';
import type { AccountHosts } from '../../platform/http/hosts.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { Mailer } from '../../platform/mail/system-mail.ts';
import { changePassword } from './change-password.command.ts';
import { logIn } from './log-in.command.ts';
import { closeSession } from './session.ts';

export function addAuthRoutes(
  addRoute: AddRoute,
  services: {
    readonly login: Db;
    readonly now: () => number;
    readonly mailer: Mailer;
    readonly accountHosts: AccountHosts;
    readonly log: Pick<FastifyBaseLogger, 'info'>;
  },
): void {
  addRoute(loginCall, ({ body, ip, host }) => logIn(services, { ...body, ip, host }));

  addRoute(logout, async ({ token }) => {
    await closeSession(services.login, token);
    return { status: 'logged-out' as const };
  });

  addRoute(changePasswordCall, ({ params, body, ip, account, token }) =>
    changePassword(services, { account, accountId: params.account_id, token, ip }, body),
  );
}
