import { sql } from 'kysely';
import { type BounceClass, SOFT_BOUNCE_DAYS, SOFT_BOUNCES_MAX } from '#domain/mail/bounce-class.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { MatchedKey, MatchedMail } from './matched-mail.queries.ts';

interface NewBounce {
  readonly class: BounceClass;
  readonly status: string | null;
  readonly reply: string;
  readonly isForwarded: boolean;
  /** Of the mail that reports it. */
  readonly hash: Buffer;
}

/** A mail is sent again a few times at most. More reports about it are forged. */
const REPORTS_MAX = 20;

/**
 * Stores a bounce, in place of an older one of its class: that of an earlier try.
 * @returns `known` where the same mail has reported it before
 */
export async function storeBounce(
  tx: Tx,
  { accountId, deliveryId }: MatchedKey,
  { sendLogId }: MatchedMail,
  { class: bounceClass, status, reply, isForwarded, hash }: NewBounce,
): Promise<'first' | 'again' | 'known'> {
  const told = { status, reply, is_forwarded: isForwarded };
  const stored = await tx
    .insertInto('bounce')
    .values({
      account_id: accountId,
      delivery_id: deliveryId,
      class: bounceClass,
      send_log_id: sendLogId,
      message_hashes: [hash],
      ...told,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'delivery_id', 'class'])
        .doUpdateSet({
          ...told,
          at: sql<Date>`now()`,
          message_hashes: sql<Buffer[]>`bounce.message_hashes || ${hash}::bytea`,
        })
        .where(sql<boolean>`${hash} <> ALL (bounce.message_hashes)`)
        .where(sql<boolean>`cardinality(bounce.message_hashes) < ${REPORTS_MAX}`),
    )
    .returning(sql<boolean>`cardinality(message_hashes) = 1`.as('isFirst'))
    .executeTakeFirst();
  if (!stored) return 'known';
  return stored.isFirst ? 'first' : 'again';
}

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
