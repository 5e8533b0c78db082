import { sql } from 'kysely';
import type { BounceClass } from '#domain/mail/bounce-class.ts';
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
