import { sql } from 'kysely';
import type { Db } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';
import { senderDomain, sendersInUse } from './domain-check.queries.ts';

/** The domain of a sender whose check is due. */
export interface DueDomain {
  readonly accountId: number;
  readonly domain: string;
}

/** Which checks are due, and when: epoch milliseconds. */
export interface DueParts {
  /** Checks before this are a day old. */
  readonly dayStart: number;
  /** Checks before this are repeated where the DNS did not answer. */
  readonly retryStart: number;
  /** false: only mails by mailboxes leave the machine, so that the DNS of other domains is irrelevant. */
  readonly leavesMachine: boolean;
}

/** The most domains of a round. */
const ROUND_DOMAINS = 5;

/** Finds a few domains of senders in use whose check is due: the oldest first, one per account. */
export async function findDueDomains(db: Db, { dayStart, retryStart, leavesMachine }: DueParts): Promise<DueDomain[]> {
  const { rows } = await sql<DueDomain>`
    SELECT due.account_id AS "accountId", due.domain FROM (
      SELECT DISTINCT ON (own.account_id) own.account_id, own.domain, known.checked_at
      FROM (SELECT DISTINCT sender.account_id, ${senderDomain} AS domain FROM ${sendersInUse}
        WHERE ${isNotFrozen('sender.account_id')}
          AND (${leavesMachine} OR sender_profile.mailbox_id IS NOT NULL)) AS own
      LEFT JOIN domain_check AS known ON known.account_id = own.account_id AND known.domain = own.domain
      WHERE known.checked_at IS NULL OR known.checked_at < ${new Date(dayStart)}
        OR known.failed_at IS NOT NULL AND known.checked_at < ${new Date(retryStart)}
      ORDER BY own.account_id, known.checked_at NULLS FIRST, own.domain
    ) AS due
    ORDER BY due.checked_at NULLS FIRST, due.account_id
    LIMIT ${sql.lit(ROUND_DOMAINS)}`.execute(db);
  return rows;
}

/** A round takes some seconds. After this time its worker counts as dead. */
const ROUND_SECONDS = 60;
/** The pause between rounds of all processes. It limits an account's checks as a member's requests are limited. */
const PAUSE_SECONDS = 8;

/** Starts a round of checks. @returns false: another process has one, or its pause is not over */
export async function beginRound(db: Db): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('installation')
    .set({ domain_round_at: inSeconds(ROUND_SECONDS) })
    .where('domain_round_at', '<=', sql<Date>`now()`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a round. The next one starts after a pause, in any process. */
export async function endRound(db: Db): Promise<void> {
  await db
    .updateTable('installation')
    .set({ domain_round_at: inSeconds(PAUSE_SECONDS) })
    .execute();
}

const inSeconds = (seconds: number) => sql<Date>`now() + make_interval(secs => ${sql.lit(seconds)})`;
