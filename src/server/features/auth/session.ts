import type { Role } from '#domain/account/role.ts';
import { SESSION_ABSOLUTE_MS, SESSION_IDLE_MS } from '#domain/limits.ts';
import type { MemberKey } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { preparedQuery } from '../../platform/database/driver/prepared-query.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';
import type { AccountHosts } from '../../platform/http/hosts.ts';
import type { Authenticate } from '../../platform/http/route.ts';
import { hashOf, newSecret } from './secret.ts';

/** Opens a session. @returns its bearer token; only a hash of it is stored */
export async function openSession(db: Db, { accountId, memberId }: MemberKey, now: number): Promise<string> {
  const token = newSecret();
  const at = new Date(now);
  await db
    .insertInto('session')
    .values({ token_hash: hashOf(token), account_id: accountId, member_id: memberId, created_at: at, last_used_at: at })
    .execute();
  return token;
}

/** Closes a session. A frozen account's session is kept: it moves with the account, and is unusable meanwhile. */
export async function closeSession(db: Db, token: string): Promise<void> {
  await db.deleteFrom('session').where('token_hash', '=', hashOf(token)).where(isNotFrozen('account_id')).execute();
}

/**
 * Ends all sessions of a member, except the caller's own if given, in the caller's transaction.
 * Also deletes an unused password-reset link: the person who is shut out may have requested it.
 */
export async function closeSessionsOf(tx: Tx, { accountId, memberId }: MemberKey, exceptToken?: string): Promise<void> {
  await tx.deleteFrom('password_reset').where('account_id', '=', accountId).where('member_id', '=', memberId).execute();
  await tx
    .deleteFrom('session')
    .where('account_id', '=', accountId)
    .where('member_id', '=', memberId)
    .$if(exceptToken !== undefined, (query) => query.where('token_hash', '<>', hashOf(exceptToken ?? '')))
    .execute();
}

/** How stale `last_used_at` may get: a session causes one write per minute, not one per request. */
const TOUCH_AFTER_MS = 60_000;

interface LiveSession extends MemberKey {
  readonly role: Role;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly isFrozen: boolean;
}

/** Selects the session of a token hash, only for an active member. */
const sessionByToken = preparedQuery<LiveSession>(
  'session_by_token',
  `SELECT session.account_id AS "accountId", session.member_id AS "memberId", member.role, session.created_at,
     session.last_used_at, account.frozen_at IS NOT NULL AS "isFrozen"
   FROM session
   JOIN account ON account.id = session.account_id
   JOIN member ON member.account_id = session.account_id AND member.id = session.member_id AND member.active
   WHERE session.token_hash = $1`,
);

interface Services {
  readonly login: Db;
  readonly now: () => number;
  readonly accountHosts: Pick<AccountHosts, 'isHome'>;
}

/**
 * Reads the session of each request from the database, so that a closed one is invalid at once in every process. A
 * token works only at its account's own host, as a log-in does (decisions/cells).
 */
export function authenticateWith({ login: db, now, accountHosts }: Services): Authenticate {
  return async (token, { host, isUse = true }) => {
    const [session] = await sessionByToken(db, hashOf(token));
    if (!session || !accountHosts.isHome(session.accountId, host)) return null;
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
        .where(isNotFrozen('account_id'))
        .execute();
    }
    const { accountId, memberId, role, isFrozen } = session;
    return { accountId, memberId, role, isFrozen };
  };
}
