import { sql } from 'kysely';
import { addressKey } from '#domain/address-key.ts';
import { networkOf } from '#domain/network.ts';
import type { Db } from '../../platform/db.ts';
import { HOUR_MS, limitKey, secondsLeft, takeHourly } from '../../platform/rate-limit.ts';
import { Refusal } from '../../platform/refusal.ts';
import { inHashSlot } from './hash-slots.ts';

/** Of one network on one address: then waits of 1, 2, 4 … 60 s between two tries. A success, or an hour without a try, forgets them. */
const FREE_TRIES = 5;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

/**
 * On one address from everywhere: then each network waits 10 s between two tries. Only that: somebody with many networks must
 * not be able to lock the owner out.
 */
const TRIES_AN_HOUR = 100;
const FAIR_WAIT_MS = 10_000;

/** Who tries a password: the address as typed (there may be no such account), and where the request came from. */
export interface Guesser {
  readonly email: string;
  readonly ip: string;
}

/**
 * Lets a password be tried, or refuses the try before anything is hashed. It is counted before, so that tries at once do not pass
 * together; the counters belong to the address, whether there is an account or not, and to all processes.
 * @param attempt does the hashing; null: the password was wrong
 */
export async function tryPassword<Success>(
  { login, now }: { login: Db; now: () => number },
  guesser: Guesser,
  attempt: () => Promise<Success | null>,
): Promise<Success | null | Refusal> {
  const { pair, address } = keysOf(guesser);
  const done = await inHashSlot(async () => {
    if (!(await countTry(login, pair, address, now()))) return tooManyGuesses(await secondsLeft(login, pair, now()));
    const success = await attempt();
    if (success !== null) await login.deleteFrom('rate_limit').where('key', '=', pair).execute();
    return { success };
  });
  if (done === null) return tooBusy();
  return done instanceof Refusal ? done : done.success;
}

function keysOf({ email, ip }: Guesser): { pair: string; address: string } {
  const address = addressKey(email);
  // A line of one provider or company often has a few IPv4 addresses side by side.
  const network = networkOf(ip).replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24');
  return { pair: limitKey('guess', address, network), address: limitKey('guess', address) };
}

/** One statement, so that of tries at the same moment each sees those before it. @returns whether the try may go on */
async function countTry(db: Db, pair: string, address: string, now: number): Promise<boolean> {
  const fairWait = sql`CASE WHEN EXISTS (
    SELECT FROM rate_limit WHERE key = ${address} AND expire > ${now} AND points >= ${TRIES_AN_HOUR}
  ) THEN ${FAIR_WAIT_MS}::bigint ELSE 0 END`;
  const points = sql`CASE WHEN tries.expire <= ${now - HOUR_MS} THEN 1 ELSE tries.points + 1 END`;
  // Beyond 2^6 seconds the longest wait holds anyway.
  const growingWait = sql`CASE WHEN ${points} < ${FREE_TRIES} THEN 0
    ELSE least(${LONGEST_WAIT_MS}, ${FIRST_WAIT_MS} * 2 ^ least(${points} - ${FREE_TRIES}, 6))::bigint END`;
  const { rows } = await sql`
    INSERT INTO rate_limit AS tries (key, points, expire) VALUES (${pair}, 1, ${now} + ${fairWait})
    ON CONFLICT (key) DO UPDATE SET points = ${points}, expire = ${now} + greatest(${growingWait}, ${fairWait})
    WHERE tries.expire <= ${now}
    RETURNING key`.execute(db);
  if (rows.length === 0) return false;
  await takeHourly(db, { key: address, limit: TRIES_AN_HOUR }, now);
  return true;
}

const tooManyGuesses = (seconds: number) =>
  new Refusal(
    429,
    'too_many_guesses',
    `パスワードの間違いが続いたため、しばらくお待ちいただいています。${Math.max(1, Math.ceil(seconds))}秒後に、もう一度お試しください。`,
    seconds,
  );

const tooBusy = () =>
  new Refusal(503, 'busy', 'ログインが混み合っています。少し待ってから、もう一度お試しください。', 5);
