import { sql } from 'kysely';
import { pauseSeconds } from '#domain/sending/retry.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import type { ClaimedMail } from '../leases/claim.ts';
import {
  databaseNow,
  gateOfInstallation,
  type InstallationFacts,
  type InstallationGate,
  installationFacts,
} from './installation.queries.ts';

/** The name of the only row. It serves every transport, SendGrid too. */
export const TRANSPORT = 'smtp';

/** Consecutive faults, over all workers, that pause the transport. */
export const FAULTS_TO_PAUSE = 5;

/** After this time without a refusal or a trial, one more connection is tried. */
const TRY_MORE_MINUTES = 15;

/** Whether one more connection than the server has admitted is tried. */
export const isTryingMore = sql<
  boolean | null
>`connections_at <= now() - make_interval(mins => ${sql.lit(TRY_MORE_MINUTES)})`;

/** The connections that a worker may open, by the transport's row; NULL: no limit. */
const connectionsMax = sql<number | null>`connections_max + (${isTryingMore})::integer`;

/** The probe mail that the transport's row names. */
export type Probe = Pick<ClaimedMail, 'accountId' | 'id' | 'claimNo'>;

/**
 * Whether a worker may claim.
 * - open: yes (the circuit breaker is closed). probe: one mail, and none for other workers. paused: no.
 * - unknown-server: no, it must compare its receipts with this database server first.
 */
export type TransportGate = InstallationGate | 'probe';

export interface TransportState {
  readonly gate: TransportGate;
  /** The connections of a worker that the server admits; null: it named no limit (quota/connection-limit). */
  readonly connectionsMax: number | null;
  /** `connectionsMax` is one more than the server has admitted so far. */
  readonly isTryingMore: boolean | null;
  /** Epoch milliseconds, by the database's clock. */
  readonly now: number;
}

/**
 * Whether the probe that the transport's row names is still running. It ends with its claim: by a result, a
 * cancellation, a requeue, a new claim, or an expired lease.
 */
export const isProbing = sql<boolean>`EXISTS (
  SELECT FROM delivery probe
  WHERE probe.account_id = transport.probe_account_id AND probe.id = transport.probe_delivery_id
    AND probe.claim_no = transport.probe_claim_no AND probe.lease_until > now())`;

const NO_PROBE = { probe_account_id: null, probe_delivery_id: null, probe_claim_no: null };

/**
 * Reads the circuit breaker in the transaction of a claim, and takes the probe if it is due.
 * A probe is due after a pause, after a probe without an answer, or where a profile's limit may concern all. The first
 * worker to ask gets it. Its row lock blocks the others until its transaction ends.
 * @param installationState of this worker's last receipt comparison; undefined: it keeps no receipts
 */
export async function checkGate(tx: Tx, installationState: string | null | undefined): Promise<TransportState> {
  const { isSettled, isCompared } = installationFacts(installationState);
  const transport = await tx
    .selectFrom(['transport', 'installation'])
    .select([
      sql<boolean>`paused_until IS NULL AND NOT limit_suspected`.as('isOpen'),
      mayProbe.as('mayProbe'),
      databaseNow.as('now'),
      connectionsMax.as('connectionsMax'),
      isTryingMore.as('isTryingMore'),
      isSettled.as('isSettled'),
      isCompared.as('isCompared'),
    ])
    .where('name', '=', TRANSPORT)
    .executeTakeFirstOrThrow();
  const { connectionsMax: max, isTryingMore: isMore, now } = transport;
  return { gate: await gateOf(tx, transport), connectionsMax: max, isTryingMore: isMore, now };
}

interface GateFacts extends InstallationFacts {
  readonly isOpen: boolean;
  readonly mayProbe: boolean | null;
}

async function gateOf(tx: Tx, { isOpen, mayProbe, ...installation }: GateFacts): Promise<TransportGate> {
  const gate = gateOfInstallation(installation);
  if (gate !== 'open' || isOpen) return gate;
  return mayProbe && (await lockForProbe(tx)) ? 'probe' : 'paused';
}

/** Whether a pause has expired without an answer since, or a profile's limit may concern all. */
const mayProbe = sql<boolean>`coalesce(paused_until <= now(), limit_suspected)`;

/** @returns whether this transaction has the probe; false: another has it */
async function lockForProbe(tx: Tx): Promise<boolean> {
  const locked = await tx
    .selectFrom('transport')
    .select('name')
    .where('name', '=', TRANSPORT)
    .where(mayProbe)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!locked) return false;
  // Read after locking: only a new statement sees the claim of a probe that started just before.
  const transport = await tx
    .selectFrom('transport')
    .select(isProbing.as('isProbing'))
    .where('name', '=', TRANSPORT)
    .executeTakeFirstOrThrow();
  return !transport.isProbing;
}

/** Records the claimed probe mail: other workers claim no mail until its claim ends. */
export async function beginProbe(tx: Tx, { accountId, id, claimNo }: Probe): Promise<void> {
  await tx
    .updateTable('transport')
    .set({ probe_account_id: accountId, probe_delivery_id: id, probe_claim_no: claimNo })
    .where('name', '=', TRANSPORT)
    .execute();
}

/** The transport's row, for FROM. */
export const transportRow = sql`(SELECT * FROM transport WHERE name = ${sql.lit(TRANSPORT)}) AS transport`;
/** Faults are recorded, so the server's next answer must be recorded too. */
export const hasFaults = sql<boolean>`(transport.faults > 0 OR transport.paused_until IS NOT NULL)`;

/** The transport's row without faults, pause or limit. */
export const UNHINDERED = {
  faults: 0,
  pauses: 0,
  paused_until: null,
  last_fault: null,
  limit_suspected: false,
  ...NO_PROBE,
};

/**
 * Closes the circuit breaker, because the server answered about a mail.
 * @param isProbes a probe got the answer. Only that ends a limit: mails already being sent may have been accepted
 * before it
 * @returns whether faults or a limit were recorded
 */
export async function recordAnswer(db: Db, isProbes: boolean): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('transport')
    .set({ ...UNHINDERED, limited_until: null })
    .where('name', '=', TRANSPORT)
    .where(({ eb, or }) =>
      or([eb('faults', '>', 0), eb('paused_until', 'is not', null), sql<boolean>`limit_suspected`]),
    )
    .$if(!isProbes, (query) => query.where(sql<boolean>`NOT limit_suspected AND limited_until IS NULL`))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export interface TransportFaults {
  readonly count: number;
  /** The mail that was claimed as a probe; null: none. */
  readonly probe: Probe | null;
  /** The last reply, for the operator. */
  readonly reply: string;
  /** The wait that the server asked for, in seconds; 0: none. */
  readonly wait?: number;
}

/** Caps the wait that a server asks for, which may be hours (used-up credits): the operator may buy more earlier. */
const SERVER_WAIT_SECONDS_MAX = 3600;

/**
 * Counts faults of the transport and pauses it at the threshold. A failed probe lengthens the next pause, once. Faults
 * of mails sent before the pause, and of a superseded probe, do not.
 * @param random 0 ≤ random < 1; spreads the ends of pauses
 * @returns the current pause, and whether these faults started it; null: none
 */
export function recordFaults(
  db: Db,
  { count, probe, reply, wait = 0 }: TransportFaults,
  random: number,
): Promise<{ begins: true; seconds: number } | { begins: false } | null> {
  return db.transaction().execute(async (tx) => {
    const transport = await lockTransport(tx);
    const isProbe = probe !== null && isNamed(transport, probe);
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

export const lockTransport = (tx: Tx) =>
  tx.selectFrom('transport').selectAll().where('name', '=', TRANSPORT).forUpdate().executeTakeFirstOrThrow();

/** Whether the transport's row names this probe. Each probe counts once, and not after another has replaced it. */
export const isNamed = (transport: Awaited<ReturnType<typeof lockTransport>>, probe: Probe): boolean =>
  probe.accountId === transport.probe_account_id &&
  probe.id === transport.probe_delivery_id &&
  probe.claimNo === transport.probe_claim_no;

/** Reads why no worker claims mail, for the progress of runs. Every role may read this. */
export const readPauses = (
  db: Db,
): Promise<{ pausedUntil: Date | null; limitedUntil: Date | null; isRewound: boolean }> =>
  db
    .selectFrom(['transport', 'installation'])
    .select([
      'paused_until as pausedUntil',
      'limited_until as limitedUntil',
      sql<boolean>`rewound_at IS NOT NULL`.as('isRewound'),
    ])
    .where('name', '=', TRANSPORT)
    .executeTakeFirstOrThrow();
