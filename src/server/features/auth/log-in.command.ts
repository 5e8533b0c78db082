import { addressKey } from '#domain/address-key.ts';
import type { Db } from '../../platform/db.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type Guesser, tryPassword } from './guess-limit.ts';
import { hashPassword, isOutdated, verifyPassword } from './password.ts';
import { openSession } from './session.ts';

interface Login {
  readonly token: string;
  readonly account_id: number;
}

interface Verified {
  readonly id: number;
  readonly email: string;
  readonly password_hash: string;
  /** The same password hashed as we hash today, where the stored hash is of an older kind. */
  readonly renewed: string | null;
}

/** Compared with when an address is unknown, so that the answer takes as long as for a known one. */
const decoy = hashPassword('no account has this password');

const wrongCredentials = () => new Refusal(401, 'wrong_credentials', 'メールアドレスまたはパスワードが違います');

/** Opens a session for whoever knows the password; an unknown address is treated like a wrong password in every way. */
export async function logIn(
  services: { login: Db; now: () => number },
  guesser: Guesser,
  password: string,
): Promise<Login | Refusal> {
  const { login, now } = services;
  const verified = await tryPassword(services, guesser, () => verify(login, guesser.email, password));
  if (verified instanceof Refusal) return verified;
  const token = verified && (await openSessionOf(login, verified, now()));
  if (!verified || token === null) return wrongCredentials();
  await renewHash(login, verified);
  return { token, account_id: verified.id };
}

async function verify(login: Db, email: string, password: string): Promise<Verified | null> {
  const account = await login
    .selectFrom('account')
    .select(['id', 'email', 'password_hash'])
    .where((where) => where(where.fn<string>('lower', ['email']), '=', addressKey(email)))
    .executeTakeFirst();
  const matches = await verifyPassword(account?.password_hash ?? (await decoy), password);
  if (!account || !matches) return null;
  return { ...account, renewed: isOutdated(account.password_hash) ? await hashPassword(password) : null };
}

/**
 * What was verified must still hold: a change of password or address ends the sessions there are, and must not miss one that is
 * being opened. The lock makes one of the two wait for the other.
 */
function openSessionOf(login: Db, { id, email, password_hash }: Verified, now: number): Promise<string | null> {
  return login.transaction().execute(async (tx) => {
    const unchanged = await tx
      .selectFrom('account')
      .select('id')
      .where('id', '=', id)
      .where('email', '=', email)
      .where('password_hash', '=', password_hash)
      .forShare()
      .executeTakeFirst();
    return unchanged ? openSession(tx, id, now) : null;
  });
}

async function renewHash(login: Db, { id, password_hash, renewed }: Verified): Promise<void> {
  if (renewed === null) return;
  try {
    await login
      .updateTable('account')
      .set({ password_hash: renewed })
      .where('id', '=', id)
      // A password changed meanwhile stays.
      .where('password_hash', '=', password_hash)
      .execute();
  } catch {
    // The login holds without it; the next one tries again.
  }
}
