import type { FastifyBaseLogger } from 'fastify';
import { changePassword as changePasswordCall, login as loginCall, logout } from '#contract/account/auth.ts';
import * as sessionCalls from '#contract/account/sessions.ts';
import * as twoFactorCalls from '#contract/account/two-factor.ts';
import type { Db } from '../../platform/database/db.ts';
import type { AccountHosts } from '../../platform/http/hosts.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { Mailer } from '../../platform/mail/system-mail.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { changePassword } from './change-password.command.ts';
import { logIn } from './log-in.command.ts';
import * as twoFactor from './second-step/two-factor.command.ts';
import { closeSession } from './session.ts';
import { endOthers, endSession, readSessions } from './sessions.command.ts';

export function addAuthRoutes(
  addRoute: AddRoute,
  services: {
    readonly login: Db;
    readonly now: () => number;
    readonly mailer: Mailer;
    readonly secrets: Secrets;
    readonly accountHosts: AccountHosts;
    readonly log: Pick<FastifyBaseLogger, 'info'>;
  },
): void {
  addRoute(loginCall, ({ body, headers, ip, host }) =>
    logIn(services, { ...body, ip, host, agent: headers['user-agent'] }),
  );

  addRoute(logout, async ({ token }) => {
    await closeSession(services.login, token);
    return { status: 'logged-out' as const };
  });

  addRoute(changePasswordCall, ({ params, body, ip, account, token }) =>
    changePassword(services, { account, accountId: params.account_id, token, ip }, body),
  );

  addRoute(sessionCalls.listSessions, (asker) => readSessions(asker, services.now()));
  addRoute(sessionCalls.endSession, ({ params, ...asker }) => endSession(asker, params.id));
  addRoute(sessionCalls.endOtherSessions, (asker) => endOthers(asker));

  addRoute(twoFactorCalls.startTwoFactor, ({ body, ...asker }) =>
    twoFactor.startTwoFactor(services, asker, body.current_password),
  );
  addRoute(twoFactorCalls.confirmTwoFactor, ({ body, ...asker }) =>
    twoFactor.confirmTwoFactor(services, asker, body.code),
  );
  addRoute(twoFactorCalls.endTwoFactor, ({ body, ...asker }) => twoFactor.endTwoFactor(services, asker, body));
  addRoute(twoFactorCalls.renewRecoveryCodes, ({ body, ...asker }) =>
    twoFactor.renewRecoveryCodes(services, asker, body),
  );
}
