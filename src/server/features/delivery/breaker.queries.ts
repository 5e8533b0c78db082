import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db.ts';
import { claimsAllowedFrom, isComparedWith } from './installation.queries.ts';
import { pauseSeconds } from './retry.ts';

/** The name of the only row. It stands for the transport in use, SendGrid too. */
const TRANSPORT = 'smtp';

/** Faults in a row, over all workers, that pause the transport. */
export const FAULTS_TO_PAUSE = 5;
/** The longest that a probe may take to connect, greet and log in. After it another worker may probe. */
const PROBE_SECONDS_MAX = 120;

/**
 * Whether a worker may claim.
 * - open: yes (the circuit breaker is closed). probe: one mail; other workers may claim none. paused: no.
 * - unknown-server: no, it must compare its receipts with this database server first.
 */
export type TransportGate = 'open' | 'probe' | 'paused' | 'unknown-server';

/**
 * Reads the circuit breaker in the transaction of a claim. The first to ask after a pause gets the probe.
 * Its lock on the row holds the others back until its transaction ends.
 * @param installationState the one with which this worker has compared its receipts; undefined: it keeps none
 */
export async function checkGate(tx: Tx, installationState: string | null | undefined): Promise<TransportGate> {
  const transport = await tx
    .selectFrom(['transport', 'installation'])
    .select([
      sql<boolean>`paused_until IS NULL`.as('isUnpaused'),
      sql<boolean | null>`paused_until <= now()`.as('isPauseOver'),
      sql<boolean>`${claimsAllowedFrom} IS NULL`.as('isSettled'),
      (installationState === undefined ? sql<boolean>`true` : isComparedWith(installationState)).as('isCompared'),
    ])
    .where('name', '=', TRANSPORT)
    .executeTakeFirstOrThrow();
  if (!transport.isCompared) return 'unknown-server';
  if (!transport.isSettled) return 'paused';
  if (transport.isUnpaused) return 'open';
  if (!transport.isPauseOver) return 'paused';
  const ours = await tx
    .selectFrom('transport')
    .select('name')
    .where('name', '=', TRANSPORT)
    .where('paused_until', '<=', sql<Date>`now()`)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return ours ? 'probe' : 'paused';
}

/** Keeps other workers from probing while the claimed probe is under way. */
export async function beginProbe(tx: Tx): Promise<void> {
  await tx
    .updateTable('transport')
    .set({ paused_until: sql<Date>`now() + make_interval(secs => ${sql.lit(PROBE_SECONDS_MAX)})` })
    .where('name', '=', TRANSPORT)
    .execute();
}

/** The transport's row, for the FROM of a query. */
export const transportRow = sql`(SELECT * FROM transport WHERE name = ${sql.lit(TRANSPORT)}) AS transport`;
/** Faults are on record, so the next answer of the server must be recorded. */
export const hasFaults = sql<boolean>`(transport.faults > 0 OR transport.paused_until IS NOT NULL)`;

/**
 * Closes the circuit breaker: the server answered about a mail, whatever it said.
 * @returns whether faults were on record
 */
export async function recordAnswer(db: Db): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('transport')
    .set({ faults: 0, pauses: 0, paused_until: null, last_fault: null })
    .where('name', '=', TRANSPORT)
    .where(({ eb, or }) => or([eb('faults', '>', 0), eb('paused_until', 'is not', null)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export interface TransportFaults {
  readonly count: number;
  /** One of them was the probe. */
  readonly isProbe: boolean;
  /** The last of them, for the operator. */
  readonly reply: string;
  /** Seconds that the server asked us to wait; 0: it did not. */
  readonly wait?: number;
}

/** Caps the wait that a server asks for, which may be hours (used-up credits): the operator may buy more sooner. */
const SERVER_WAIT_SECONDS_MAX = 3600;

/**
 * Counts faults of the transport and pauses it at the threshold. A failed probe makes the next pause longer.
 * Faults of mails that were under way when the pause began do not.
 * @param random 0 ≤ random < 1; spreads the ends of pauses
 * @returns the current pause, and whether these faults began it; null: none
 */
export function recordFaults(
  db: Db,
  { count, isProbe, reply, wait = 0 }: TransportFaults,
  random: number,
): Promise<{ begins: true; seconds: number } | { begins: false } | null> {
  return db.transaction().execute(async (tx) => {
    const transport = await tx
      .selectFrom('transport')
      .select(['faults', 'pauses', 'paused_until'])
      .where('name', '=', TRANSPORT)
      .forUpdate()
      .executeTakeFirstOrThrow();
    if (transport.paused_until !== null && !isProbe) return { begins: false };
    const faults = transport.faults + count;
    const pause =
      wait > 0
        ? Math.min(wait, SERVER_WAIT_SECONDS_MAX)
        : isProbe || faults >= FAULTS_TO_PAUSE
          ? pauseSeconds(transport.pauses, random)
          : null;
    await tx
      .updateTable('transport')
      .set({ faults, last_fault: reply })
      .$if(pause !== null, (query) =>
        query.set({
          pauses: transport.pauses + 1,
          paused_until: sql<Date>`now() + make_interval(secs => ${pause}::double precision)`,
        }),
      )
      .where('name', '=', TRANSPORT)
      .execute();
    return pause === null ? null : { begins: true, seconds: pause };
  });
}

/** Reads why no worker claims, for the progress of runs. Any role may ask. */
export const readPauses = (db: Db): Promise<{ pausedUntil: Date | null; isRewound: boolean }> =>
  db
    .selectFrom(['transport', 'installation'])
    .select(['paused_until as pausedUntil', sql<boolean>`rewound_at IS NOT NULL`.as('isRewound')])
    .where('name', '=', TRANSPORT)
    .executeTakeFirstOrThrow();
