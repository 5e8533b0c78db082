import type { ReplyKind } from '#domain/reply.ts';
import type { Tx } from '../../platform/db.ts';

interface NewReply {
  readonly accountId: number;
  readonly prospectId: number;
  readonly kind: ReplyKind;
  /** The mail that it answers; absent: noted by hand. */
  readonly deliveryId?: number;
  /** In the form of addressKey. */
  readonly from?: string;
  readonly subject?: string;
  readonly excerpt: string;
  /** The same for the same mail; absent: noted by hand. */
  readonly hash?: Buffer;
  readonly isRefusal?: boolean;
  readonly memberId?: number | null;
}

/**
 * Stores an answer, whose company's unsent mails are still to be cancelled (delivery/cancel-replied.queries.ts).
 * That of a robot cancels none.
 * @returns its id; null where the same mail is stored already
 */
export async function insertReply(tx: Tx, reply: NewReply): Promise<number | null> {
  const { accountId, prospectId, kind, deliveryId, from = '', subject = '', excerpt, hash } = reply;
  const stored = await tx
    .insertInto('reply')
    .values({
      account_id: accountId,
      prospect_id: prospectId,
      kind,
      delivery_id: deliveryId ?? null,
      from_address: from,
      subject,
      excerpt,
      message_hash: hash ?? null,
      is_refusal: reply.isRefusal ?? false,
      member_id: reply.memberId ?? null,
      cancels_mails: kind !== 'auto_reply',
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'message_hash']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return stored?.id ?? null;
}

/** Checks whether a mail is stored as an answer already. */
export async function isStoredReply(tx: Tx, accountId: number, hash: Buffer): Promise<boolean> {
  const stored = await tx
    .selectFrom('reply')
    .select('id')
    .where('account_id', '=', accountId)
    .where('message_hash', '=', hash)
    .executeTakeFirst();
  return stored !== undefined;
}
