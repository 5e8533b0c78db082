import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
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
import { type AuditDetails, recordAudit } from '../audit/record-audit.ts';
import type { Guesser } from './guess-counters.queries.ts';
import { tryPassword } from './guess-limit.ts';
import { hashPassword, isOutdated, verifyPassword } from './password.ts';
import { openSession } from './session.ts';

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
  /** The password hashed with today's parameters, if the stored hash has older ones. */
  readonly renewed: string | null;
}

/** Compared with for an unknown address, so that the answer takes as long as for a known one. */
const decoy = hashPassword('no account has this password');

const wrongCredentials = () => new Problem('wrong_credentials', 'メールアドレスまたはパスワードが違います');

/** Tells a member whose password is right where their account opens the web client. Nobody else learns of it. */
const otherHost = (url: string) =>
  new Problem('other_host', `このアカウントのログインは、${url} で受け付けています。`, undefined, [
    { path: 'url', message: url },
  ]);

interface Services {
  readonly login: Db;
  readonly now: () => number;
  readonly accountHosts: AccountHosts;
  readonly log: Pick<FastifyBaseLogger, 'info'>;
}

interface Guess extends Guesser {
  readonly password: string;
  /** The host that the request names. At one of an account there are no members but its own. */
  readonly host: string;
}

/**
 * Opens a session for the right password. An unknown address gets the same answer as a wrong password, as does a member
 * of another account than that of the host: one query and one hash for each.
 */
export async function logIn(services: Services, guess: Guess): Promise<Login | Problem> {
  const answer = (await tryPassword(services, guess, () => openVerified(services, guess))) ?? wrongCredentials();
  if (answer instanceof Problem && REFUSALS.includes(answer.code)) await noteRefusal(services, guess);
  return answer;
}

/** The answers to a wrong password, and to a try that must wait. */
const REFUSALS: readonly string[] = ['wrong_credentials', 'too_many_guesses'];

/** Lines of one process name equal addresses equally. Nobody can try addresses against a line. */
const LOG_KEY = randomBytes(32);

/**
 * Counts a refusal, and writes the 1st, 10th, 100th … of an hour into the audit of whose address it is. The log has
 * those of all other addresses, and of frozen accounts, whose rows stand still.
 * One statement for every address: neither the answer nor its time shows whether a member has it.
 */
async function noteRefusal({ login, now, log }: Services, { email, ip }: Guess): Promise<void> {
  const address = addressKey(email);
  const at = now();
  const kind: keyof AuditDetails = 'log_in_refused';
  const detail: Omit<AuditDetails[typeof kind], 'refusals'> = { network: wideNetworkOf(ip) };
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
  log.info({ address_hash: hash, ...detail, refusals: due.refusals }, 'log-ins refused for an address of no account');
}

/** The most log-ins of a member that an hour writes into the audit. */
const LOG_INS_AN_HOUR = 20;

/** Writes a log-in into the audit: the first of an hour from each network, as long as these are few. */
async function noteLogIn(tx: Tx, member: MemberKey, network: string, now: number): Promise<void> {
  const { accountId, memberId } = member;
  const isFirst = await takeHourly(tx, { key: limitKey('logged in', accountId, memberId, network), limit: 1 }, now);
  const ofMember = { key: limitKey('logged in', accountId, memberId), limit: LOG_INS_AN_HOUR };
  if (!isFirst || !(await takeHourly(tx, ofMember, now))) return;
  await recordAudit(tx, { ...member, kind: 'logged_in', detail: { network } });
}

async function openVerified(services: Services, guess: Guess): Promise<Login | Problem | null> {
  const { login, now, accountHosts } = services;
  const verified = await verify(login, guess, accountHosts.accountOf(guess.host));
  if (!verified) return null;
  const { account_id, id, role } = verified;
  if (!accountHosts.isHome(account_id, guess.host)) return otherHost(accountHosts.urlOf(account_id));
  const token = await openSessionOf(login, { ...verified, ip: guess.ip }, now());
  if (token instanceof Problem) return token;
  if (token !== null) return { token, account_id, member: { id, role: role as Role } };
  // The member has changed meanwhile, perhaps only by the rehash of another login: verify the stored values again.
  return openVerified(services, guess);
}

/** @param accountId the only account whose members are looked for; null: all */
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
 * @returns the token, or null when the member has changed; 503 for a frozen account
 */
function openSessionOf(
  login: Db,
  { account_id, id, email, password_hash, renewed, ip }: Verified & Pick<Guess, 'ip'>,
  now: number,
): Promise<string | Problem | null> {
  return login.transaction().execute(async (tx) => {
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
    if (renewed !== null) {
      await tx
        .updateTable('member')
        .set({ password_hash: renewed })
        .where('account_id', '=', account_id)
        .where('id', '=', id)
        .execute();
    }
    const member = { accountId: account_id, memberId: id };
    await noteLogIn(tx, member, wideNetworkOf(ip), now);
    return openSession(tx, member, now);
  });
}
