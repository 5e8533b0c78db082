import { addressKey } from '#domain/mail/address-key.ts';
import type { Db } from '../../platform/database/db.ts';
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

/** Opens a session for the right password. An unknown address gets the same answer as a wrong password. */
export async function logIn(
  services: { login: Db; now: () => number },
  guesser: Guesser,
  password: string,
): Promise<Login | Problem> {
  const { login, now } = services;
  const opened = await tryPassword(services, guesser, () => openVerified(login, guesser.email, password, now()));
  return opened ?? wrongCredentials();
}

async function openVerified(login: Db, email: string, password: string, now: number): Promise<Login | null> {
  const verified = await verify(login, email, password);
  if (!verified) return null;
  const token = await openSessionOf(login, verified, now);
  if (token !== null) return { token, account_id: verified.account_id };
  // The member has changed meanwhile, perhaps only by the rehash of another login: verify the stored values again.
  return openVerified(login, email, password, now);
}

async function verify(login: Db, email: string, password: string): Promise<Verified | null> {
  const member = await login
    .selectFrom('member')
    .select(['account_id', 'id', 'email', 'password_hash'])
    .where((where) => where(where.fn<string>('lower', ['email']), '=', addressKey(email)))
    .where('active', '=', true)
    .executeTakeFirst();
  const matches = await verifyPassword(member?.password_hash ?? (await decoy), password);
  if (!member || !matches) return null;
  return { ...member, renewed: isOutdated(member.password_hash) ? await hashPassword(password) : null };
}

/**
 * Opens a session if the member has not changed since it was verified.
 * The lock serializes this with a change of password or address, which ends all sessions and must not miss this one.
 * @returns the token, or null when the member has changed
 */
function openSessionOf(login: Db, verified: Verified, now: number): Promise<string | null> {
  const { account_id, id, email, password_hash, renewed } = verified;
  return login.transaction().execute(async (tx) => {
    const unchanged = await tx
      .selectFrom('member')
      .select('id')
      .where('account_id', '=', account_id)
      .where('id', '=', id)
      .where('email', '=', email)
      .where('password_hash', '=', password_hash)
      .where('active', '=', true)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!unchanged) return null;
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
