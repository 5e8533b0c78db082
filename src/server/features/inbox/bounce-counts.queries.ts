import { sql } from 'kysely';
import { SOFT_BOUNCE_DAYS, SOFT_BOUNCES_MAX } from '#domain/mail/bounce-class.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { MatchedMail } from './matched-mail.queries.ts';

/**
 * Checks whether the last mails to an address all came back as soft or filtered. Each is of another run.
 * One that was sent again, and stayed away then, has arrived.
 */
export async function hasFailedSoftly(
  tx: Tx,
  accountId: number,
  { prospectId, address }: Pick<MatchedMail, 'prospectId' | 'address'>,
): Promise<boolean> {
  const { rows } = await sql<{ soft: number }>`
    SELECT count(*) FILTER (WHERE state = 'failed' AND classes && ARRAY['soft', 'filtered'])::integer AS soft FROM (
      SELECT d.state, bounced.classes FROM delivery d
      CROSS JOIN LATERAL (
        SELECT array_agg(class) AS classes FROM bounce
        WHERE account_id = d.account_id AND delivery_id = d.id AND NOT is_forwarded
      ) AS bounced
      WHERE d.account_id = ${accountId} AND d.prospect_id = ${prospectId} AND d.address_key = ${address}
        AND NOT d.test_send_mode AND d.finished_at > now() - make_interval(days => ${SOFT_BOUNCE_DAYS})
        -- A mail that no server accepted says nothing about the mailbox.
        AND (d.state IN ('sent', 'unknown') OR bounced.classes IS NOT NULL)
      ORDER BY d.finished_at DESC, d.id DESC
      LIMIT ${SOFT_BOUNCES_MAX}
    ) AS latest`.execute(tx);
  return (rows[0]?.soft ?? 0) >= SOFT_BOUNCES_MAX;
}

export interface PolicyCount {
  readonly bounces: number;
  readonly targets: number;
  readonly hasUnsent: boolean;
}

/** Counts the bounces by policy of a run. */
export async function countPolicyBounces(tx: Tx, accountId: number, sendLogId: number): Promise<PolicyCount | null> {
  const { rows } = await sql<PolicyCount>`
    SELECT l.targets,
      (SELECT count(*)::integer FROM bounce
        WHERE account_id = l.account_id AND send_log_id = l.id AND class = 'policy') AS bounces,
      EXISTS (SELECT FROM delivery
        WHERE account_id = l.account_id AND send_log_id = l.id AND state IN ('queued', 'claimed')) AS "hasUnsent"
    FROM send_log l WHERE l.account_id = ${accountId} AND l.id = ${sendLogId}`.execute(tx);
  return rows[0] ?? null;
}
