import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import type { ErrorCode } from '#contract/errors.ts';
import { wideNetworkOf } from '#domain/account/network.ts';
import type { Role } from '#domain/account/role.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import type { MemberKey } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { accountFrozen, isNotFrozen } from '../../platform/database/frozen.ts';
import type { AccountHosts } from '../../platform/http/hosts.ts';
import { limitKey, takeHourly } from '../../platform/limits/rate-limit.ts';
import { Problem } from '../../platform/problem.ts';
import type { LogInRefusal } from '../audit/log-in-events.ts';
import { type AuditDetails, recordAudit } from '../audit/record-audit.ts';
import type { Guesser } from './guess-counters.queries.ts';
import { tryPassword } from './guess-limit.ts';
import { hashPassword, isOutdated, verifyPassword } from './password.ts';
import { checkEntry, type Entry, type Proof, takeProof } from './second-step/at-log-in.command.ts';
import type { CodeServices } from './second-step/check-code.command.ts';
import { type Browser, openSession } from './session.ts';

interface Login {
  readonly token: string;
  readonly account_id: number;
  readonly member: { readonly id: number; readonly role: Role };
}

interface Verified {
  readonly account_id: number;
  readonly id: number;
  readonly role: string;
  readonly email: string;
  readonly password_hash: string;
  /** The password hashed with today's parameters; null: the stored hash has them. */
  readonly renewed: string | null;
}

/** Verified for an unknown address, so that the answer takes as long as for a known one. */
const decoy = hashPassword('no account has this password');

const wrongCredentials = () => new Problem('wrong_credentials', 'メールアドレスまたはパスワードが違います');

/** The refusal that names the account's own host. Only a right password or the key of a link gets it. */
export const otherHost = (url: string) =>
  new Problem('other_host', `このアカウントのログインは、${url} で受け付けています。`, undefined, [
    { path: 'url', message: url },
  ]);

interface Services extends CodeServices {
  readonly accountHosts: AccountHosts;
  readonly log: Pick<FastifyBaseLogger, 'info'>;
}

interface Guess extends Guesser, Browser, Entry {
  readonly password: string;
  /** The host of the request. At an account's own host only its members can log in. */
  readonly host: string;
}

/**
 * Opens a session for the right password. An unknown address, and a member of another account than the host's, gets the
 * same answer as a wrong password: each costs one query and one hash.
 */
export async function logIn(services: Services, guess: Guess): Promise<Login | Problem> {
  const answer = (await tryPassword(services, guess, () => openVerified(services, guess))) ?? wrongCredentials();
  const reason = answer instanceof Problem ? REFUSALS[answer.code] : undefined;
  if (reason !== undefined) await noteRefusal(services, guess, reason);
  return answer;
}

/** The answers to a wrong password, code or network, to a wait and where passwords are off, with the audited reason. */
const REFUSALS: Readonly<Partial<Record<ErrorCode, LogInRefusal>>> = {
  wrong_credentials: 'password',
  too_many_guesses: 'wait',
  network_not_allowed: 'network',
  use_company_log_in: 'company',
  wrong_code: 'code',
  too_many_codes: 'wait',
};

/** The key of address hashes in log lines: equal within a process, and useless for guessing addresses. */
const LOG_KEY = randomBytes(32);

/**
 * Counts a refused log-in, and audits the 1st, 10th, 100th … of an hour in the account of the address. Unknown
 * addresses and frozen accounts, whose rows must not change, are logged instead.
 * One statement serves every address, so that neither answer nor time reveals a member.
 */
async function noteRefusal({ login, now, log }: Services, { email, ip }: Guess, reason: LogInRefusal): Promise<void> {
  const address = addressKey(email);
  const at = now();
  const kind: keyof AuditDetails = 'log_in_refused';
  const detail: Omit<AuditDetails[typeof kind], 'refusals'> = { network: wideNetworkOf(ip), reason };
  const { rows } = await sql<{ refusals: number; isWritten: boolean }>`
    WITH counted AS (
      INSERT INTO rate_limit AS counter (key, points, expire)
      VALUES (${limitKey('log-in refused', address)}, 1, ${at + HOUR_MS})
      ON CONFLICT (key) DO UPDATE SET
        points = CASE WHEN counter.expire <= ${at} THEN 1 ELSE counter.points + 1 END,
        expire = CASE WHEN counter.expire <= ${at} THEN excluded.expire ELSE counter.expire END
      RETURNING points AS refusals
    ), due AS (
      SELECT refusals FROM counted WHERE refusals::text ~ '^10*$'
    ), event AS (
      SELECT member.account_id, member.id, ${JSON.stringify(detail)}::jsonb || to_jsonb(due) AS detail FROM due, member
      WHERE lower(member.email) = ${address} AND ${isNotFrozen('member.account_id')}
    ), written AS (
      INSERT INTO audit_event (account_id, member_id, kind, detail)
      SELECT account_id, id, ${kind}, detail FROM event
    )
    SELECT refusals, EXISTS (SELECT FROM event) AS "isWritten" FROM due`.execute(login);
  const [due] = rows;
  if (due === undefined || due.isWritten) return;
  const hash = createHmac('sha256', LOG_KEY).update(address).digest('base64url');
  log.info({ address_hash: hash, ...detail, refusals: due.refusals }, 'log-ins refused for an unknown address');
}

/** The most log-ins of a member that are audited an hour. */
const LOG_INS_AN_HOUR = 20;

/** Audits a log-in: the first of an hour from each network by each way and second step, up to LOG_INS_AN_HOUR. */
export async function noteLogIn(
  tx: Tx,
  member: MemberKey,
  detail: AuditDetails['logged_in'],
  now: number,
): Promise<void> {
  const { accountId, memberId } = member;
  const { network, way, second = '' } = detail;
  const ofKind = { key: limitKey('logged in', accountId, memberId, network, way, second), limit: 1 };
  const isFirst = await takeHourly(tx, ofKind, now);
  const ofMember = { key: limitKey('logged in', accountId, memberId), limit: LOG_INS_AN_HOUR };
  if (!isFirst || !(await takeHourly(tx, ofMember, now))) return;
  await recordAudit(tx, { ...member, kind: 'logged_in', detail });
}

async function openVerified(services: Services, guess: Guess): Promise<Login | Problem | null> {
  const { login, accountHosts } = services;
  const verified = await verify(login, guess, accountHosts.accountOf(guess.host));
  if (!verified) return null;
  const { account_id, id, role } = verified;
  if (!accountHosts.isHome(account_id, guess.host)) return otherHost(accountHosts.urlOf(account_id));
  const member = { accountId: account_id, memberId: id, email: verified.email };
  const proof = await checkEntry(services, member, guess);
  if (proof instanceof Problem) return proof;
  const token = await openSessionOf(services, { ...verified, guess, proof });
  if (token instanceof Problem) return token;
  if (token !== null) return { token, account_id, member: { id, role: role as Role } };
  // The member has changed meanwhile, perhaps only by the rehash of another log-in: verify the stored values again.
  return openVerified(services, guess);
}

/** @param accountId searches only this account's members; null: all */
async function verify(login: Db, { email, password }: Guess, accountId: number | null): Promise<Verified | null> {
  const member = await login
    .selectFrom('member')
    .select(['account_id', 'id', 'role', 'email', 'password_hash'])
    .where((where) => where(where.fn<string>('lower', ['email']), '=', addressKey(email)))
    .where('active', '=', true)
    .$if(accountId !== null, (query) => query.where('account_id', '=', accountId ?? 0))
    .executeTakeFirst();
  const matches = await verifyPassword(member?.password_hash ?? (await decoy), password);
  if (!member || !matches) return null;
  return { ...member, renewed: isOutdated(member.password_hash) ? await hashPassword(password) : null };
}

/**
 * Opens a session if the member has not changed since verification.
 * The lock serializes this with a password or address change, which must end this session like all others.
 * @returns the token, or null when the member or the second step has changed; 401 for a used code; 503 if frozen
 */
function openSessionOf(
  services: Services,
  {
    account_id,
    id,
    email,
    password_hash,
    renewed,
    guess,
    proof,
  }: Verified & { readonly guess: Guess; readonly proof: Proof },
): Promise<string | Problem | null> {
  const now = services.now();
  return services.login.transaction().execute(async (tx) => {
    const unchanged = await tx
      .selectFrom('member')
      .innerJoin('account', 'account.id', 'member.account_id')
      .select('account.frozen_at')
      .where('member.account_id', '=', account_id)
      .where('member.id', '=', id)
      .where('member.email', '=', email)
      .where('member.password_hash', '=', password_hash)
      .where('member.active', '=', true)
      .forNoKeyUpdate('member')
      .executeTakeFirst();
    if (!unchanged) return null;
    if (unchanged.frozen_at !== null) return accountFrozen();
    const member = { accountId: account_id, memberId: id };
    const used = await takeProof(tx, services, { ...member, email }, { proof, entry: guess });
    if (used !== 'used') return used;
    await tx
      .updateTable('member')
      .set({ last_login_at: new Date(now), ...(renewed !== null && { password_hash: renewed }) })
      .where('account_id', '=', account_id)
      .where('id', '=', id)
      .execute();
    const second = proof.by === 'none' ? undefined : proof.by;
    await noteLogIn(tx, member, { network: wideNetworkOf(guess.ip), way: 'password', second }, now);
    return openSession(tx, member, now, guess);
  });
}
