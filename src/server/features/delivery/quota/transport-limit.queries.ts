import { type Expression, type RawBuilder, sql } from 'kysely';
import { LIMIT_PROBE_SECONDS } from '#domain/sending/our-limit.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { ClaimedMail } from '../leases/claim.ts';
import { isNamed, lockTransport, type Probe, TRANSPORT, UNHINDERED } from '../pauses/breaker.queries.ts';

/** The mail server's limit on our quota, rate or plan. */
export interface Limit {
  readonly reply: string;
  /** The server accepts mails again after this many seconds at the latest. */
  readonly seconds: number;
}

interface LimitTimes {
  /** When the next probe is due: soon at first, if the server promised that, then every quarter of an hour. */
  readonly nextTry: RawBuilder<Date>;
  /** The time shown to members (`limited_until`). A shown time is kept until it has passed. */
  readonly toldUntil: RawBuilder<Date>;
}

const after = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds}::double precision)`;

/**
 * Returns the times of a pause for a limit, for an UPDATE of its row.
 * @param isNew the pause starts now
 * @param shown its column with the time shown to members
 */
export function limitTimes(
  seconds: number,
  isNew: boolean,
  shown: Expression<unknown> = sql.ref('limited_until'),
): LimitTimes {
  const nextTry = after(isNew ? Math.min(seconds, LIMIT_PROBE_SECONDS) : LIMIT_PROBE_SECONDS);
  if (isNew) return { nextTry, toldUntil: after(seconds) };
  const told = sql`CASE WHEN ${shown} > now() THEN ${shown} ELSE ${after(seconds)} END`;
  return { nextTry, toldUntil: sql<Date>`greatest(${told}, ${nextTry})` };
}

/**
 * Records that a probe met our limit at the mail server. The limit concerns all if another profile met it before: all
 * sending pauses. If all sending was paused for it, the pause is extended. Otherwise the answer closes the circuit
 * breaker.
 * @returns whether all sending is paused for a limit
 */
export function recordLimitOfProbe(
  db: Db,
  probe: Probe & Pick<ClaimedMail, 'isLimitProbe'>,
  { reply, seconds }: Limit,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const transport = await lockTransport(tx);
    const { limited_until, limit_suspected } = transport;
    if (!isNamed(transport, probe)) return limited_until !== null;
    const isEverybodys = limited_until !== null || (limit_suspected && !probe.isLimitProbe);
    const { nextTry, toldUntil } = limitTimes(seconds, limited_until === null);
    const pause = { paused_until: nextTry, limited_until: toldUntil, last_fault: reply };
    await tx
      .updateTable('transport')
      .set(isEverybodys ? { ...UNHINDERED, ...pause } : { ...UNHINDERED, limit_suspected })
      .where('name', '=', TRANSPORT)
      .execute();
    return isEverybodys;
  });
}

/** Makes the next mail of another profile the only probe, to learn whether a profile's limit concerns all. */
export async function suspectLimit(db: Db): Promise<void> {
  await db
    .updateTable('transport')
    .set({ limit_suspected: true })
    .where('name', '=', TRANSPORT)
    .where('limited_until', 'is', null)
    .execute();
}
