import { SESSION_ABSOLUTE_MS, SESSION_IDLE_MS } from '#domain/limits.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import type { Db } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';

/** Deletes expired sessions, trusts in browsers, log-ins at a company's provider, and counters. */
export async function sweepDead(login: Db, now: number): Promise<void> {
  await login
    .deleteFrom('session')
    .where(({ eb, or }) =>
      or([
        eb('created_at', '<', new Date(now - SESSION_ABSOLUTE_MS)),
        eb('last_used_at', '<', new Date(now - SESSION_IDLE_MS)),
      ]),
    )
    .where(isNotFrozen('account_id'))
    .execute();
  await login
    .deleteFrom('trusted_device')
    .where('expires_at', '<', new Date(now))
    .where(isNotFrozen('account_id'))
    .execute();
  await login
    .deleteFrom('oidc_start')
    .where('expires_at', '<', new Date(now))
    .where(isNotFrozen('account_id'))
    .execute();
  // Counters are kept an hour beyond their wait, so that a guesser does not start again from zero.
  await login
    .deleteFrom('rate_limit')
    .where('expire', '<', now - HOUR_MS)
    .execute();
}
