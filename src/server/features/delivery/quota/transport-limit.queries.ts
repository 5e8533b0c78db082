import { type RawBuilder, sql } from 'kysely';
import { LIMIT_PROBE_SECONDS } from '#domain/sending/our-limit.ts';
import type { Db } from '../../../platform/database/db.ts';
import type { ClaimedMail } from '../leases/claim.ts';
import { isNamed, lockTransport, type Probe, TRANSPORT, UNHINDERED } from '../pauses/breaker.queries.ts';

/** What the mail server said of our quota, rate or plan. */
export interface Limit {
  readonly reply: string;
  /** After which it takes mails again at the latest. */
  readonly seconds: number;
}

interface LimitTimes {
  /** When one mail may try it: the first time soon, where the server promised that, then each quarter of an hour. */
  readonly nextTry: RawBuilder<Date>;
  /** The time that members are told (`limited_until`): the one that they were told stands until it is over. */
  readonly toldUntil: RawBuilder<Date>;
}

const after = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds}::double precision)`;

/** Returns the times of a pause for a limit, for an UPDATE of its row. @param isNew it begins */
export function limitTimes(seconds: number, isNew: boolean): LimitTimes {
  const nextTry = after(isNew ? Math.min(seconds, LIMIT_PROBE_SECONDS) : LIMIT_PROBE_SECONDS);
  if (isNew) return { nextTry, toldUntil: after(seconds) };
  const told = sql`CASE WHEN limited_until > now() THEN limited_until ELSE ${after(seconds)} END`;
  return { nextTry, toldUntil: sql<Date>`greatest(${told}, ${nextTry})` };
}

/**
 * Records that a probe met our limit at the mail server. It is everybody's where another profile met it before this one
 * did: then all sending pauses. If it was paused for it, the pause goes on. Else the server answers, at least.
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

/** Has the next mail of another profile probe, alone, whether a limit that one profile has met is everybody's. */
export async function suspectLimit(db: Db): Promise<void> {
  await db
    .updateTable('transport')
    .set({ limit_suspected: true })
    .where('name', '=', TRANSPORT)
    .where('limited_until', 'is', null)
    .execute();
}
