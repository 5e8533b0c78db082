import { sql } from 'kysely';
import type { Db } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import { countTry, type Guesser, keysOf } from './guess-counters.queries.ts';
import { inHashSlot } from './hash-slots.ts';

/**
 * Runs a password check within the guess limits, or refuses it before anything is hashed.
 * Each attempt is counted before hashing, so that concurrent attempts cannot exceed a limit. All processes share the
 * counters, which exist for every e-mail, whether or not a member has it.
 * @param attempt hashes and compares; it resolves to null for a wrong password
 */
export async function tryPassword<Success>(
  { login, now }: { login: Db; now: () => number },
  guesser: Guesser,
  attempt: () => Promise<Success | null>,
): Promise<Success | null | Problem> {
  const keys = keysOf(guesser);
  const done = await inHashSlot(async () => {
    const wait = await countTry(login, keys, now());
    if (wait > 0) return tooManyGuesses(wait);
    const success = await attempt();
    if (success !== null) await login.deleteFrom('rate_limit').where('key', '=', keys.pair).execute();
    return { success };
  });
  if (done === null) return tooBusy();
  return done instanceof Problem ? done : done.success;
}

/** Resets the attempts on an e-mail, of this guesser and of all, after its password has changed. */
export async function forgetGuesses(login: Db, guesser: Guesser): Promise<void> {
  const { pair, everywhere, network } = keysOf(guesser);
  const keys = [pair, everywhere, ...(network === null ? [] : [network.tries, network.slot])];
  await login.deleteFrom('rate_limit').where('key', '=', sql<string>`any(${keys}::text[])`).execute();
}

const tooManyGuesses = (seconds: number) =>
  new Problem(
    'too_many_guesses',
    `パスワードの間違いが続いたため、しばらくお待ちいただいています。${Math.max(1, Math.ceil(seconds))}秒後に、もう一度お試しください。`,
    seconds,
  );

export const tooBusy = () =>
  new Problem('busy', 'ログインが混み合っています。少し待ってから、もう一度お試しください。', 5);
