import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db.ts';
import type { ClaimedMail } from './claim.ts';
import { claimsAllowedFrom, isComparedWith } from './installation.queries.ts';
import { pauseSeconds } from './retry.ts';

/** The name of the only row. It stands for the transport in use, SendGrid too. */
const TRANSPORT = 'smtp';

/** Faults in a row, over all workers, that pause the transport. */
export const FAULTS_TO_PAUSE = 5;

/** The mail that probes, as the row of the transport names it. */
type Probe = Pick<ClaimedMail, 'accountId' | 'id' | 'claimNo'>;

/**
 * Whether a worker may claim.
 * - open: yes (the circuit breaker is closed). probe: one mail; other workers may claim none. paused: no.
 * - unknown-server: no, it must compare its receipts with this database server first.
 */
export type TransportGate = 'open' | 'probe' | 'paused' | 'unknown-server';

/**
 * Whether the probe that the transport's row names is under way. It is over with its claim, however that ended: a
 * result, a cancelled or requeued mail, another claim of it, or a lease that nobody renewed.
 */
export const isProbing = sql<boolean>`EXISTS (
  SELECT FROM delivery probe
  WHERE probe.account_id = transport.probe_account_id AND probe.id = transport.probe_delivery_id
    AND probe.claim_no = transport.probe_claim_no AND probe.lease_until > now())`;

const NO_PROBE = { probe_account_id: null, probe_delivery_id: null, probe_claim_no: null };

/**
 * Reads the circuit breaker in the transaction of a claim. The first to ask after a pause, or after a probe that ended
 * without an answer, gets the probe. Its lock on the row holds the others back until its transaction ends.
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
  return transport.isPauseOver && (await lockForProbe(tx)) ? 'probe' : 'paused';
}

/** @returns whether the probe is this transaction's; false: it is another's */
async function lockForProbe(tx: Tx): Promise<boolean> {
  const locked = await tx
    .selectFrom('transport')
    .select('name')
    .where('name', '=', TRANSPORT)
    .where('paused_until', '<=', sql<Date>`now()`)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!locked) return false;
  // Read behind the lock: only a new statement sees the claim of a probe that began just before it.
  const transport = await tx
    .selectFrom('transport')
    .select(isProbing.as('isProbing'))
    .where('name', '=', TRANSPORT)
    .executeTakeFirstOrThrow();
  return !transport.isProbing;
}

/** Names the claimed mail that probes: other workers claim none until its claim is over. */
export async function beginProbe(tx: Tx, { accountId, id, claimNo }: Probe): Promise<void> {
  await tx
    .updateTable('transport')
    .set({ probe_account_id: accountId, probe_delivery_id: id, probe_claim_no: claimNo })
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
    .set({ faults: 0, pauses: 0, paused_until: null, last_fault: null, ...NO_PROBE })
    .where('name', '=', TRANSPORT)
    .where(({ eb, or }) => or([eb('faults', '>', 0), eb('paused_until', 'is not', null)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export interface TransportFaults {
  readonly count: number;
  /** The one that was claimed to probe; null: none was. */
  readonly probe: Probe | null;
  /** The last of them, for the operator. */
  readonly reply: string;
  /** Seconds that the server asked us to wait; 0: it did not. */
  readonly wait?: number;
}

/** Caps the wait that a server asks for, which may be hours (used-up credits): the operator may buy more sooner. */
const SERVER_WAIT_SECONDS_MAX = 3600;

/**
 * Counts faults of the transport and pauses it at the threshold. A failed probe makes the next pause longer, once.
 * Faults of mails that were under way when the pause began do not, nor those of a probe whose place another has taken.
 * @param random 0 ≤ random < 1; spreads the ends of pauses
 * @returns the current pause, and whether these faults began it; null: none
 */
export function recordFaults(
  db: Db,
  { count, probe, reply, wait = 0 }: TransportFaults,
  random: number,
): Promise<{ begins: true; seconds: number } | { begins: false } | null> {
  return db.transaction().execute(async (tx) => {
    const transport = await tx
      .selectFrom('transport')
      .select(['faults', 'pauses', 'paused_until', 'probe_account_id', 'probe_delivery_id', 'probe_claim_no'])
      .where('name', '=', TRANSPORT)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const isProbe =
      probe !== null &&
      probe.accountId === transport.probe_account_id &&
      probe.id === transport.probe_delivery_id &&
      probe.claimNo === transport.probe_claim_no;
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
          ...NO_PROBE,
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
