import { sql } from 'kysely';
import type { Db } from '#server/platform/database/db.ts';

interface Database {
  readonly db: Db;
}

/** Reads the circuit breaker of the transport. */
export const readTransport = ({ db }: Database) => db.selectFrom('transport').selectAll().executeTakeFirstOrThrow();

/** Reads the mail server's limits for profiles, by id. */
export const readLimits = ({ db }: Database) =>
  db
    .selectFrom('sender_throttle')
    .select(['profile_id', 'limited_since', 'limited_until', 'probe_at'])
    .orderBy('profile_id')
    .execute();

/** Lets one mail of each limited profile test whether its limit still holds. Mails that wait for a retry become due. */
export async function endLimitWait(database: Database): Promise<void> {
  await sql`UPDATE sender_throttle SET probe_at = 'epoch' WHERE limited_since IS NOT NULL`.execute(database.db);
  await endPause(database);
}

/** Ends the pause of the transport, if there is one: a worker then probes. Mails that wait for a retry become due. */
export async function endPause({ db }: Database): Promise<void> {
  await sql`UPDATE delivery SET not_before = 'epoch' WHERE state = 'queued' AND not_before <> 'infinity'`.execute(db);
  await sql`UPDATE transport SET paused_until = 'epoch' WHERE paused_until IS NOT NULL`.execute(db);
}
