import { sql } from 'kysely';
import { knownAddress } from '#domain/account/network.ts';
import type { Role } from '#domain/account/role.ts';
import { SESSION_ABSOLUTE_MS, SESSION_IDLE_MS } from '#domain/limits.ts';
import type { MemberKey } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { preparedQuery } from '../../platform/database/driver/prepared-query.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';
import type { AccountHosts } from '../../platform/http/hosts.ts';
import type { Authenticate } from '../../platform/http/route.ts';
import { isOutside } from './networks.queries.ts';
import { hashOf, newSecret } from './secret.ts';

/** Where a session was opened, as its member sees it in the list. */
export interface Browser {
  /** As Node or a trusted proxy writes it. */
  readonly ip: string;
  /** The header User-Agent. */
  readonly agent?: string | undefined;
  /** The browser's own random value; undefined: a client that has none. */
  readonly device?: string | undefined;
}

const AGENT_LENGTH = 300;

/** Opens a session. @returns its bearer token; only a hash of it is stored */
export async function openSession(
  db: Db,
  { accountId, memberId }: MemberKey,
  now: number,
  browser?: Browser,
  way: 'password' | 'oidc' = 'password',
): Promise<string> {
  const token = newSecret();
  const at = new Date(now);
  await db
    .insertInto('session')
    .values({
      token_hash: hashOf(token),
      account_id: accountId,
      member_id: memberId,
      created_at: at,
      last_used_at: at,
      ip: knownAddress(browser?.ip ?? ''),
      agent: browser?.agent?.slice(0, AGENT_LENGTH) ?? null,
      way,
      device_hash: browser?.device === undefined ? null : hashOf(browser.device),
    })
    .execute();
  return token;
}

/** Closes a session. A frozen account's session is kept: it moves with the account, and is unusable meanwhile. */
export async function closeSession(db: Db, token: string): Promise<void> {
  await db.deleteFrom('session').where('token_hash', '=', hashOf(token)).where(isNotFrozen('account_id')).execute();
}

/**
 * Ends all that lets a member in without a password: sessions and the trust in browsers, except the caller's own if
 * given, in the caller's transaction. Also deletes an unused password-reset link: the person who is shut out may have
 * requested it.
 * @returns how many sessions
 */
export async function shutOut(tx: Tx, { accountId, memberId }: MemberKey, exceptToken?: string): Promise<number> {
  await tx.deleteFrom('password_reset').where('account_id', '=', accountId).where('member_id', '=', memberId).execute();
  const kept = exceptToken === undefined ? null : hashOf(exceptToken);
  await sql`
    DELETE FROM trusted_device WHERE account_id = ${accountId} AND member_id = ${memberId} AND NOT EXISTS (
      SELECT FROM session WHERE session.account_id = ${accountId} AND session.member_id = ${memberId}
        AND session.token_hash = ${kept} AND session.device_hash = trusted_device.hash)`.execute(tx);
  const { numDeletedRows } = await tx
    .deleteFrom('session')
    .where('account_id', '=', accountId)
    .where('member_id', '=', memberId)
    .$if(kept !== null, (query) => query.where('token_hash', '<>', kept ?? Buffer.of()))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** How stale `last_used_at` may get: a session causes one write per minute, not one per request. */
const TOUCH_AFTER_MS = 60_000;

interface LiveSession extends MemberKey {
  readonly role: Role;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly isFrozen: boolean;
  readonly isOutside: boolean;
  readonly needsTwoFactor: boolean;
}

/**
 * Whether the account asks for a second step, and the member has none yet. A company's provider asks for its own.
 */
const NEEDS_TWO_FACTOR = `session.way = 'password'
     AND coalesce(account_rule.two_factor_required, false) AND NOT EXISTS (
     SELECT FROM member_totp WHERE member_totp.account_id = session.account_id
       AND member_totp.member_id = session.member_id AND member_totp.confirmed_at IS NOT NULL)`;

/** Selects the session of a token hash, only for an active member, as it is from an address. */
const sessionByToken = preparedQuery<LiveSession>(
  'session_by_token',
  `SELECT session.account_id AS "accountId", session.member_id AS "memberId", member.role, session.created_at,
     session.last_used_at, account.frozen_at IS NOT NULL AS "isFrozen", ${isOutside('$2::inet')} AS "isOutside",
     ${NEEDS_TWO_FACTOR} AS "needsTwoFactor"
   FROM session
   JOIN account ON account.id = session.account_id
   JOIN member ON member.account_id = session.account_id AND member.id = session.member_id AND member.active
   LEFT JOIN account_rule ON account_rule.account_id = session.account_id
   WHERE session.token_hash = $1`,
);

/** The use of a session by an open stream. */
interface Use {
  readonly token: string;
  /** The address of the requester. */
  readonly ip: string;
}

/** Returns those uses of an account's sessions that are valid still. It does not count as use, and ends none. */
export async function validUses<Given extends Use>(
  tx: Tx,
  accountId: number,
  uses: readonly Given[],
  now: number,
): Promise<ReadonlySet<Given>> {
  const { rows } = await sql<{ place: number }>`
    SELECT given.place::integer FROM unnest(
      ${uses.map(({ token }) => hashOf(token))}::bytea[], ${uses.map(({ ip }) => knownAddress(ip))}::inet[]
    ) WITH ORDINALITY AS given (token_hash, ip, place)
    JOIN session ON session.token_hash = given.token_hash
    JOIN account ON "account"."id" = ${accountId} AND account.frozen_at IS NULL
    JOIN member ON member.account_id = ${accountId} AND member.id = session.member_id AND member.active
    LEFT JOIN account_rule ON account_rule.account_id = session.account_id
    WHERE session.account_id = ${accountId} AND NOT (${sql.raw(NEEDS_TWO_FACTOR)})
      AND NOT (${sql.raw(isOutside('given.ip'))})
      AND session.created_at >= ${new Date(now - SESSION_ABSOLUTE_MS)}
      AND session.last_used_at >= ${new Date(now - SESSION_IDLE_MS)}`.execute(tx);
  const valid = new Set(rows.map(({ place }) => place));
  return new Set(uses.filter((_, at) => valid.has(at + 1)));
}

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
  return async (token, { host, ip, isUse = true }) => {
    const [session] = await sessionByToken(db, hashOf(token), knownAddress(ip));
    if (!session || !accountHosts.isHome(session.accountId, host)) return null;
    const age = now() - session.created_at.getTime();
    const idle = now() - session.last_used_at.getTime();
    if (age > SESSION_ABSOLUTE_MS || idle > SESSION_IDLE_MS) {
      await closeSession(db, token);
      return null;
    }
    // A stolen token does not live longer by requests from outside.
    if (isUse && !session.isOutside && idle > TOUCH_AFTER_MS) {
      await db
        .updateTable('session')
        .set({ last_used_at: new Date(now()) })
        .where('token_hash', '=', hashOf(token))
        .where(isNotFrozen('account_id'))
        .execute();
    }
    const { accountId, memberId, role, isFrozen, isOutside: outside, needsTwoFactor } = session;
    return { accountId, memberId, role, isFrozen, isOutside: outside, needsTwoFactor };
  };
}
