import type { FastifyBaseLogger } from 'fastify';
import { requestPasswordReset, resetPassword as resetPasswordCall } from '#contract/password-reset.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';
import type { UrlOf } from '../../platform/http/hosts.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { Mailer } from '../../platform/mail/system-mail.ts';
import { countRequest, sendResetLink } from './reset-link.command.ts';
import { resetPassword } from './reset-password.command.ts';

interface Services {
  readonly login: Db;
  readonly now: () => number;
  readonly mailer: Mailer;
  readonly urlOf: UrlOf;
  readonly accountDb: (accountId: number, memberId: number | null) => AccountDb;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
}

export function addPasswordResetRoutes(addRoute: AddRoute, services: Services): void {
  addRoute(requestPasswordReset, async ({ body: { email }, ip }) => {
    const problem = await countRequest(services, { email, ip });
    if (problem) return problem;
    void sendResetLink(services, email).catch((error: unknown) =>
      services.log.error({ err: error }, 'could not send a link for a new password; its owner has to ask again'),
    );
    return { status: 'accepted' as const };
  });

  addRoute(resetPasswordCall, ({ body: { key, new_password }, ip }) =>
    resetPassword(services, { key, new_password, ip }),
  );
}
