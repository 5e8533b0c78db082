import { SESSION_ABSOLUTE_MS, SESSION_IDLE_MS } from '#domain/limits.ts';
import type { MemberKey } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';
import { preparedQuery } from '../../platform/database/driver/prepared-query.ts';
import type { Authenticate } from '../../platform/http/route.ts';
import { hashOf } from './secret.ts';
import { closeSession } from './session.ts';

/** How stale `last_used_at` may get: a session causes one write per minute, not one per request. */
const TOUCH_AFTER_MS = 60_000;

interface LiveSession extends MemberKey {
  readonly created_at: Date;
  readonly last_used_at: Date;
}

/** Selects the session of a token hash. A member who is not active has none. */
const sessionByToken = preparedQuery<LiveSession>(
  'session_by_token',
  `SELECT session.account_id AS "accountId", session.member_id AS "memberId", session.created_at, session.last_used_at
   FROM session
   JOIN member ON member.account_id = session.account_id AND member.id = session.member_id AND member.active
   WHERE session.token_hash = $1`,
);

/** Reads the session of each request from the database, so that a closed one is dead at once in every process. */
export function authenticateWith({ login: db, now }: { login: Db; now: () => number }): Authenticate {
  return async (token, { isUse } = { isUse: true }) => {
    const [session] = await sessionByToken(db, hashOf(token));
    if (!session) return null;
    const age = now() - session.created_at.getTime();
    const idle = now() - session.last_used_at.getTime();
    if (age > SESSION_ABSOLUTE_MS || idle > SESSION_IDLE_MS) {
      await closeSession(db, token);
      return null;
    }
    if (isUse && idle > TOUCH_AFTER_MS) {
      await db
        .updateTable('session')
        .set({ last_used_at: new Date(now()) })
        .where('token_hash', '=', hashOf(token))
        .execute();
    }
    return { accountId: session.accountId, memberId: session.memberId };
  };
}
