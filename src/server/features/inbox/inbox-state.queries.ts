import { sql } from 'kysely';
import type { getInbox } from '#contract/answers/inbox.ts';
import type { CallAnswer } from '#contract/call.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import type { InboxFigures } from '../../platform/metrics/queue-metrics.ts';

/** The mailbox is read every minute. After this time without a look or a mail, no process reads it. */
const STALE_MINUTES = 10;

/** Reads the state of the mailbox that was tried last. All accounts share it. */
export async function readInboxState(tx: Tx): Promise<CallAnswer<typeof getInbox>> {
  const { rows } = await sql<{
    read_at: Date | null;
    fault: CallAnswer<typeof getInbox>['fault'];
    isStale: boolean;
    mails: number;
    unmatched: number;
    skipped: number;
  }>`
    SELECT read_at, fault, mails, unmatched, skipped,
      tried_at < now() - make_interval(mins => ${STALE_MINUTES}) AS "isStale"
    FROM inbox ORDER BY tried_at DESC LIMIT 1`.execute(tx);
  const [row] = rows;
  if (!row) return { state: 'off', last_read_at: null, fault: null, mails: 0, unmatched: 0, skipped: 0 };
  const { mails, unmatched, skipped } = row;
  return {
    state: row.isStale || row.fault !== null ? 'failing' : 'reading',
    last_read_at: row.read_at && formatSecond(row.read_at.getTime()),
    fault: row.fault,
    mails,
    unmatched,
    skipped,
  };
}

/** Reads the figures of a mailbox for the metrics. @returns null: no worker has tried it yet */
export async function inboxFigures(db: Db, name: string): Promise<InboxFigures | null> {
  const { rows } = await sql<InboxFigures>`
    SELECT extract(epoch FROM now() - coalesce(read_at, since))::double precision AS "secondsSinceRead",
      (fault IS NOT NULL)::integer AS "isFaulty"
    FROM inbox WHERE name = ${name}`.execute(db);
  return rows[0] ?? null;
}
