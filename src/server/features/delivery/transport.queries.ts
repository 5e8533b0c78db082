import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db.ts';
import { isComparedWith, settledAt } from './installation.queries.ts';
import { pauseSeconds } from './retry.ts';

/** The way mails go. There is one at a time, whatever it is: by SendGrid they go by the same row. */
const TRANSPORT = 'smtp';

/** So many faults in a row, over all workers, pause the transport. */
export const FAULTS_TO_PAUSE = 5;
/** How long a probe may take: connecting, greeting, TLS and login at their worst. Then another worker may probe. */
const PROBE_SECONDS = 120;

/**
 * open: claim. probe: this worker alone may claim one mail. paused: leave everything in the queue. unknown-server: leave it, and compare
 * the receipts with this server first.
 */
export type TransportGate = 'open' | 'probe' | 'paused' | 'unknown-server';

/**
 * Asked in the transaction of a claim. A probe is promised to the first who asks, and holds others back until that transaction ends.
 * @param server the one this worker has compared its receipts with; undefined: it keeps none
 */
export async function passGate(tx: Tx, server: string | null | undefined): Promise<TransportGate> {
  const transport = await tx
    .selectFrom(['transport', 'installation'])
    .select([
      sql<boolean>`paused_until IS NULL`.as('isOpen'),
      sql<boolean | null>`paused_until <= now()`.as('isOver'),
      sql<boolean>`${settledAt} IS NULL`.as('isSettled'),
      (server === undefined ? sql<boolean>`true` : isComparedWith(server)).as('isCompared'),
    ])
    .where('name', '=', TRANSPORT)
    .executeTakeFirstOrThrow();
  if (!transport.isCompared) return 'unknown-server';
  if (!transport.isSettled) return 'paused';
  if (transport.isOpen) return 'open';
  if (!transport.isOver) return 'paused';
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

/** A mail was claimed for the probe: nobody else probes while it is under way. */
export async function beginProbe(tx: Tx): Promise<void> {
  await tx
    .updateTable('transport')
    .set({ paused_until: sql<Date>`now() + make_interval(secs => ${sql.lit(PROBE_SECONDS)})` })
    .where('name', '=', TRANSPORT)
    .execute();
}

/** Its row, for the FROM of a query. */
export const theTransport = sql`(SELECT * FROM transport WHERE name = ${sql.lit(TRANSPORT)}) AS transport`;
/** An answer of the server would be news. */
export const isInDoubt = sql<boolean>`(transport.faults > 0 OR transport.paused_until IS NOT NULL)`;

/** The server answered about a mail, whatever it said: the way is open. @returns whether it was in doubt before */
export async function noteReached(db: Db): Promise<boolean> {
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
  /** What was said at last, for the operator. */
  readonly reply: string;
  /** Seconds for which the server said it will not be asked; 0: it said nothing. */
  readonly wait?: number;
}

/** A server that names hours (credits of a day) is asked again sooner: whoever runs this may have more by then. */
const LONGEST_WAIT_SECONDS = 3600;

/**
 * Counts faults of the way. A probe that failed makes the next pause longer; faults of mails that were still under way when the pause
 * began do not. @returns the pause that there is, and whether these faults began it; null: there is none
 */
export function noteFaults(
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
        ? Math.min(wait, LONGEST_WAIT_SECONDS)
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

/** Until when mails wait for the transport, or null: it is open. Any role may ask. */
export async function transportPausedUntil(db: Db): Promise<Date | null> {
  const transport = await db
    .selectFrom('transport')
    .select('paused_until')
    .where('name', '=', TRANSPORT)
    .executeTakeFirstOrThrow();
  return transport.paused_until;
}
