import { addressKey } from '#domain/mail/address-key.ts';
import type { Db } from '../../platform/database/db.ts';
import { accountFrozen } from '../../platform/database/frozen.ts';
import type { AccountHosts } from '../../platform/http/hosts.ts';
import { Problem } from '../../platform/problem.ts';
import type { Guesser } from './guess-counters.queries.ts';
import { tryPassword } from './guess-limit.ts';
import { hashPassword, isOutdated, verifyPassword } from './password.ts';
import { openSession } from './session.ts';

interface Login {
  readonly token: string;
  readonly account_id: number;
}

interface Verified {
  readonly account_id: number;
  readonly id: number;
  readonly email: string;
  readonly password_hash: string;
  /** The password hashed with today's parameters, if the stored hash has older ones. */
  readonly renewed: string | null;
}

/** Compared with for an unknown address, so that the answer takes as long as for a known one. */
const decoy = hashPassword('no account has this password');

const wrongCredentials = () => new Problem(401, 'wrong_credentials', 'メールアドレスまたはパスワードが違います');

/** Tells a member whose password is right where their account opens the web client. Nobody else learns of it. */
const otherHost = (url: string) =>
  new Problem(409, 'other_host', `このアカウントのログインは、${url} で受け付けています。`, undefined, [
    { path: 'url', message: url },
  ]);

interface Services {
  readonly login: Db;
  readonly now: () => number;
  readonly accountHosts: AccountHosts;
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
  return (await tryPassword(services, guess, () => openVerified(services, guess))) ?? wrongCredentials();
}

async function openVerified(services: Services, guess: Guess): Promise<Login | Problem | null> {
  const { login, now, accountHosts } = services;
  const verified = await verify(login, guess, accountHosts.accountOf(guess.host));
  if (!verified) return null;
  const { account_id } = verified;
  if (!accountHosts.isHome(account_id, guess.host)) return otherHost(accountHosts.urlOf(account_id));
  const token = await openSessionOf(login, verified, now());
  if (token instanceof Problem) return token;
  if (token !== null) return { token, account_id };
  // The member has changed meanwhile, perhaps only by the rehash of another login: verify the stored values again.
  return openVerified(services, guess);
}

/** @param accountId the only account whose members are looked for; null: all */
async function verify(login: Db, { email, password }: Guess, accountId: number | null): Promise<Verified | null> {
  const member = await login
    .selectFrom('member')
    .select(['account_id', 'id', 'email', 'password_hash'])
    .where((where) => where(where.fn<string>('lower', ['email']), '=', addressKey(email)))
    .where('active', '=', true)
    .$if(accountId !== null, (query) => query.where('account_id', '=', accountId ?? 0))
    .executeTakeFirst();
  const matches = await verifyPassword(member?.password_hash ?? (await decoy), password);
  if (!member || !matches) return null;
  return { ...member, renewed: isOutdated(member.password_hash) ? await hashPassword(password) : null };
}

/**
 * Opens a session if the member has not changed since it was verified.
 * The lock serializes this with a change of password or address, which ends all sessions and must not miss this one.
 * @returns the token, or null when the member has changed; 503 for a frozen account
 */
function openSessionOf(login: Db, verified: Verified, now: number): Promise<string | Problem | null> {
  const { account_id, id, email, password_hash, renewed } = verified;
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
    return openSession(tx, { accountId: account_id, memberId: id }, now);
  });
}
