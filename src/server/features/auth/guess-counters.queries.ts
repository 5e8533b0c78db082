import { sql } from 'kysely';
import { addressOf, networkOf } from '#domain/account/network.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import type { Db } from '../../platform/database/db.ts';
import { limitKey, secondsLeft, takeHourly } from '../../platform/limits/rate-limit.ts';

/**
 * Free attempts of one IP address on one e-mail. After them it waits 1, 2, 4 … 60 s between attempts.
 * A success or an hour without an attempt resets the count.
 */
const FREE_TRIES = 5;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

/** Attempts an hour on one e-mail from all addresses. Above it each IP address waits FAIR_WAIT_MS between them. */
const TRIES_AN_HOUR = 100;
const FAIR_WAIT_MS = 10_000;

/** Attempts an hour on one e-mail from one IPv6 /64, whose owner has all its addresses. After them the /64 waits. */
const NETWORK_TRIES_AN_HOUR = 500;

/** The source of a password attempt: the e-mail as typed, perhaps of no member, and the request's address. */
export interface Guesser {
  readonly email: string;
  readonly ip: string;
}

interface Keys {
  /** The key of the attempts of one IP address on one e-mail. */
  readonly pair: string;
  /** The key of the attempts on the e-mail from all addresses. */
  readonly everywhere: string;
  /** The keys of an IPv6 /64's attempts on the e-mail and of its next slot; null for IPv4. */
  readonly network: { readonly tries: string; readonly slot: string } | null;
}

export function keysOf({ email, ip }: Guesser): Keys {
  const address = addressKey(email);
  const [own, network] = [addressOf(ip), networkOf(ip)];
  return {
    pair: limitKey('guess', address, own),
    everywhere: limitKey('guess', address),
    network:
      own === network
        ? null
        : { tries: limitKey('guess', address, network), slot: limitKey('guess slot', address, network) },
  };
}

/** Counts an attempt, unless it must wait. @returns the seconds to wait; 0: the attempt is counted */
export async function countTry(db: Db, { pair, everywhere, network }: Keys, now: number): Promise<number> {
  if (network !== null) {
    const wait = await takeNetworkSlot(db, pair, network, now);
    if (wait > 0) return wait;
  }
  // At least 1 ms: the wait may end between the two queries.
  if (!(await takeTurn(db, pair, everywhere, now))) return Math.max(0.001, await secondsLeft(db, pair, now));
  await takeHourly(db, { key: everywhere, limit: TRIES_AN_HOUR }, now);
  if (network !== null) await takeHourly(db, { key: network.tries, limit: NETWORK_TRIES_AN_HOUR }, now);
  return 0;
}

/**
 * Takes the next slot of a /64 whose attempts are used up, unless the guesser must wait anyway.
 * @returns seconds to wait
 */
async function takeNetworkSlot(db: Db, pair: string, { tries, slot }: NonNullable<Keys['network']>, now: number) {
  const { rows } = await sql<{ mayGo: boolean }>`
    WITH asked AS (
      SELECT EXISTS (SELECT FROM rate_limit
          WHERE key = ${tries} AND expire > ${now} AND points >= ${NETWORK_TRIES_AN_HOUR})
        AND NOT EXISTS (SELECT FROM rate_limit WHERE key = ${pair} AND expire > ${now}) AS needed
    ), taken AS (
      INSERT INTO rate_limit AS slot (key, points, expire)
      SELECT ${slot}, 1, ${now + FAIR_WAIT_MS}::bigint FROM asked WHERE needed
      ON CONFLICT (key) DO UPDATE SET expire = excluded.expire WHERE slot.expire <= ${now}
      RETURNING key
    )
    SELECT NOT needed OR EXISTS (SELECT FROM taken) AS "mayGo" FROM asked`.execute(db);
  return rows[0]?.mayGo === false ? Math.max(0.001, await secondsLeft(db, slot, now)) : 0;
}

/** Counts an IP address's attempt in one statement, so that concurrent ones see each other. @returns false to wait */
async function takeTurn(db: Db, pair: string, everywhere: string, now: number): Promise<boolean> {
  const fairWait = sql`CASE WHEN EXISTS (
    SELECT FROM rate_limit WHERE key = ${everywhere} AND expire > ${now} AND points >= ${TRIES_AN_HOUR}
  ) THEN ${FAIR_WAIT_MS}::bigint ELSE 0 END`;
  const points = sql`CASE WHEN tries.expire <= ${now - HOUR_MS} THEN 1 ELSE tries.points + 1 END`;
  // Beyond 2^6 seconds the maximum wait applies.
  const growingWait = sql`CASE WHEN ${points} < ${FREE_TRIES} THEN 0
    ELSE least(${LONGEST_WAIT_MS}, ${FIRST_WAIT_MS} * 2 ^ least(${points} - ${FREE_TRIES}, 6))::bigint END`;
  // Concurrent attempts may be counted in another order than they read the clock. A free one does not wait for that.
  const { rows } = await sql`
    INSERT INTO rate_limit AS tries (key, points, expire) VALUES (${pair}, 1, ${now} + ${fairWait})
    ON CONFLICT (key) DO UPDATE SET points = ${points}, expire = ${now} + greatest(${growingWait}, ${fairWait})
    WHERE tries.expire <= ${now} OR (tries.points < ${FREE_TRIES} AND ${fairWait} = 0)
    RETURNING key`.execute(db);
  return rows.length > 0;
}
