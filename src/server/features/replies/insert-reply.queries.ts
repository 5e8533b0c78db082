/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   reply: note_reply → delivery
 *   reply: notice_of_doubt, notice_of_reply → notice_event
 */
import { type Expression, sql } from 'kysely';
import { type FromTrust, MAX_FOLDED_ANSWERS, MAX_OPEN_ANSWERS, type ReplyKind } from '#domain/mail/reply.ts';
import type { Tx } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';
import { onlyRow } from '../../platform/database/only-row.ts';

interface NewReply {
  readonly accountId: number;
  readonly prospectId: number;
  readonly kind: ReplyKind;
  /** The mail that the reply answers; absent: entered by hand for a company without a mail. */
  readonly deliveryId?: number;
  /** In the form of addressKey. */
  readonly from?: string;
  readonly trust?: FromTrust;
  readonly subject?: string;
  readonly excerpt: string;
  /** The same hash for the same mail; absent: entered by hand. */
  readonly hash?: Buffer;
  readonly isRefusal?: boolean;
  /** The address whose mails are held until a member decides; absent: the reply is clear. */
  readonly doubtedAddress?: string | null;
  readonly memberId?: number | null;
  /** The mail may be about something else than ours: of its text nothing is stored. */
  readonly isUnclear?: boolean;
}

/**
 * Stores a reply. The caller still has to cancel the company's unsent mails, or hold them while the reply is unclear
 * (delivery/cancel-replied.queries.ts). A robot's reply stops none.
 * @returns its id; null if the same mail is already stored
 */
export async function insertReply(tx: Tx, reply: NewReply): Promise<number | null> {
  const { accountId, prospectId, kind, deliveryId, from = '', trust = 'none', subject = '', excerpt, hash } = reply;
  const stored = await tx
    .insertInto('reply')
    .values({
      account_id: accountId,
      prospect_id: prospectId,
      kind,
      delivery_id: deliveryId ?? null,
      from_address: from,
      from_trust: trust,
      subject,
      excerpt,
      message_hash: hash ?? null,
      is_refusal: reply.isRefusal ?? false,
      doubted_address: reply.doubtedAddress ?? null,
      member_id: reply.memberId ?? null,
      is_unclear: reply.isUnclear ?? false,
      cancels_mails: kind !== 'auto_reply',
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'message_hash']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return stored?.id ?? null;
}

/** Identifies a reply that arrived as a mail. */
interface AnswerKey {
  readonly accountId: number;
  readonly deliveryId: number;
  readonly hash: Buffer;
}

type NewAnswer = NewReply & AnswerKey;

/** Few bytes distinguish folded replies, of which many are stored. */
const foldedHash = (hash: Buffer): Buffer => hash.subarray(0, 16);

/** Checks whether a mail is already stored as a reply, or folded into one. */
export async function isStoredAnswer(tx: Tx, { accountId, deliveryId, hash }: AnswerKey): Promise<boolean> {
  const { rows } = await sql<{ isStored: boolean }>`
    SELECT EXISTS (SELECT FROM reply WHERE account_id = ${accountId} AND message_hash = ${hash})
      OR EXISTS (
        SELECT FROM reply WHERE account_id = ${accountId} AND delivery_id = ${deliveryId}
          AND ${foldedHash(hash)}::bytea = ANY (folded_hashes)) AS "isStored"`.execute(tx);
  return onlyRow(rows).isStored;
}

/** The first key of an advisory lock that serializes replies to one mail. The second key is the mail. */
const ANSWER_LOCK = 0x616e_7377;

/**
 * Stores a reply to a mail once. Anybody with a mail of ours can send endless replies. Above MAX_OPEN_ANSWERS open ones
 * a reply is folded into the newest, which shows its text and counts those before.
 * @returns the id of a new row; null if the reply is already stored, or was folded
 */
export async function storeAnswer(tx: Tx, answer: NewAnswer): Promise<number | null> {
  const lock = sql`(${answer.deliveryId}::bigint % 2147483647)::integer`;
  await sql`SELECT pg_advisory_xact_lock(${ANSWER_LOCK}::integer, ${lock})`.execute(tx);
  if (await isStoredAnswer(tx, answer)) return null;
  return (await foldAnswer(tx, answer)) ? null : insertReply(tx, answer);
}

/** @returns whether the limit is reached; false also if a member is handling the newest reply */
async function foldAnswer(tx: Tx, answer: NewAnswer): Promise<boolean> {
  const {
    accountId,
    deliveryId,
    kind,
    from = '',
    trust = 'none',
    subject = '',
    excerpt,
    isRefusal = false,
    isUnclear = false,
  } = answer;
  const doubted = sql`${answer.doubtedAddress ?? null}::text`;
  const isOpen = sql`
    account_id = ${accountId} AND delivery_id = ${deliveryId} AND kind = ${kind} AND handled_at IS NULL`;
  const { numAffectedRows } = await sql`
    UPDATE reply
    SET from_address = ${from}, from_trust = ${trust}, subject = ${subject}, excerpt = ${excerpt}, at = now(),
      is_refusal = is_refusal OR ${isRefusal}, is_unclear = is_unclear AND ${isUnclear},
      -- One answer in doubt makes all of them so. The sweep holds the mails.
      doubted_address = coalesce(doubted_address, ${doubted}),
      cancels_mails = cancels_mails OR doubted_address IS NULL AND ${doubted} IS NOT NULL,
      folded_hashes = CASE WHEN cardinality(folded_hashes) < ${MAX_FOLDED_ANSWERS}
        THEN array_append(folded_hashes, ${foldedHash(answer.hash)}::bytea) ELSE folded_hashes END
    WHERE ${isOpen}
      AND id = (SELECT max(id) FROM reply WHERE ${isOpen} HAVING count(*) >= ${MAX_OPEN_ANSWERS})`.execute(tx);
  return numAffectedRows === 1n;
}

/** A reply whose mails are still to be settled (delivery/cancel-replied.queries.ts). */
export interface UnsettledReply {
  readonly accountId: number;
  readonly id: number;
  readonly prospectId: number;
  /** The address whose mails are held too, or were; null: the reply is clear. */
  readonly doubtedAddress: string | null;
}

/** Locks an account's replies whose mails are still to be settled. Waits for other processes. */
export const lockUnsettledReplies = (tx: Tx, accountId: number, ids: readonly number[]) =>
  selectUnsettled(
    tx,
    sql`account_id = ${accountId} AND id = ANY (${ids}::bigint[])
    ORDER BY account_id, id FOR UPDATE`,
  );

/** Locks such replies of any account, except those locked by another process. */
export const lockSomeUnsettledReplies = (tx: Tx, limit: number) =>
  selectUnsettled(tx, sql`${isNotFrozen('account_id')} ORDER BY account_id, id LIMIT ${limit} FOR UPDATE SKIP LOCKED`);

async function selectUnsettled(tx: Tx, chosen: Expression<unknown>): Promise<readonly UnsettledReply[]> {
  const { rows } = await sql<UnsettledReply>`
    SELECT account_id AS "accountId", id, prospect_id AS "prospectId", doubted_address AS "doubtedAddress" FROM reply
    WHERE cancels_mails AND ${chosen}`.execute(tx);
  return rows;
}

/** Marks the mails of locked replies as settled. Called after the mails were locked, as for suppressions. */
export async function noteRepliesSettled(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  await sql`
    UPDATE reply SET cancels_mails = false
    -- The condition of reply_cancels_idx.
    WHERE cancels_mails AND account_id = ${accountId} AND id = ANY (${ids}::bigint[])`.execute(tx);
}
