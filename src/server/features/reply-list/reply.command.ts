import { sql } from 'kysely';
import type { z } from 'zod';
import { addReply as addCall, type updateReply as updateCall } from '#contract/answers/replies.ts';
import type { CallAnswer } from '#contract/call.ts';
import type { SuppressionValue } from '#domain/law/suppression.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import type { ReplyKind } from '#domain/mail/reply.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { createOnce } from '../../platform/database/create-once.ts';
import type { Tx } from '../../platform/database/db.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { settleReplies } from '../delivery/after-sending/cancel-replied.queries.ts';
import { settleSuppressions } from '../delivery/after-sending/cancel-suppressed.queries.ts';
import { isProvenWriter } from '../opt-out/writer.queries.ts';
import { insertReply } from '../replies/insert-reply.queries.ts';
import { addSuppressions } from '../suppressions/write-suppressions.queries.ts';

type Body = z.output<(typeof addCall)['body']>;
type Answer = CallAnswer<typeof addCall>;

/** Records a reply for a member by hand, and cancels the company's unsent mails. @returns 404 for a foreign company */
export async function noteReply(
  account: MemberDb,
  { body, key }: { readonly body: Body; readonly key: string | undefined },
): Promise<Answer | Problem> {
  const answer = await createOnce(account, { call: addCall, key, input: body }, (tx) =>
    noteIn(tx, account, body.add_info),
  );
  if (!(answer instanceof Problem)) await account.transaction((tx) => settleReplies(tx, account.id, [answer.id]));
  return answer;
}

async function noteIn(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  { prospect_id: prospectId, note = '' }: Body['add_info'],
): Promise<Answer | Problem> {
  // The lock lets the second of two requests find the first one's reply.
  const { rows: found } = await sql`
    SELECT FROM prospect WHERE account_id = ${accountId} AND id = ${prospectId} FOR NO KEY UPDATE`.execute(tx);
  if (found.length === 0) return notFound();
  const { rows: open } = await sql<{ id: number }>`
    SELECT id FROM reply
    WHERE account_id = ${accountId} AND prospect_id = ${prospectId} AND kind <> 'auto_reply' AND handled_at IS NULL
    ORDER BY id LIMIT 1`.execute(tx);
  if (open[0]) return { status: 'no-added', id: open[0].id };
  const deliveryId = await lastMailTo(tx, accountId, prospectId);
  const noted = { accountId, prospectId, kind: 'manual', excerpt: note.trim(), memberId } as const;
  const id = await insertReply(tx, { ...noted, ...(deliveryId !== undefined && { deliveryId }) });
  if (id === null) throw new Error('a reply without a hash conflicts with another');
  await recordAudit(tx, {
    accountId,
    memberId,
    kind: 'reply_noted',
    detail: { reply_id: id, prospect_id: prospectId },
  });
  return { status: 'added', id };
}

/** Returns the mail that a telephone answer most likely concerns. Run and report count the answer as any other. */
async function lastMailTo(tx: Tx, accountId: number, prospectId: number): Promise<number | undefined> {
  const mail = await tx
    .selectFrom('delivery')
    .select('id')
    .where('account_id', '=', accountId)
    .where('prospect_id', '=', prospectId)
    .where('test_send_mode', '=', false)
    .where(sql<boolean>`state IN ('sent', 'unknown')`)
    .orderBy('finished_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return mail?.id;
}

type UpdateInfo = z.output<(typeof updateCall)['body']>['update_info'];

interface FoundReply {
  readonly kind: ReplyKind;
  /** The reply may ask for no more mails. */
  readonly isDoubtful: boolean;
  /** It may be about something else. */
  readonly isUnclear: boolean;
  readonly deliveryId: number | null;
  /** In the form of addressKey; '': entered by hand. */
  readonly from: string;
  /** The mail's address, the company's present one and its 主担当's, and the writer's if it is proven. */
  readonly addresses: readonly (string | null)[];
}

/** Changes a reply as a member decides. Repeated requests succeed. @returns 404, or 409 for a manual mark */
export async function changeReply(
  account: MemberDb,
  id: number,
  info: UpdateInfo,
): Promise<CallAnswer<typeof updateCall> | Problem> {
  const { id: accountId } = account;
  if (info.not_a_reply === 1) return deleteUnclear(account, id);
  const done = await account.transaction(async (tx) => {
    const found = await lockReply(tx, accountId, id);
    if (!found) return notFound();
    if (info.kind !== undefined && found.kind === 'manual') return notedByHand();
    if (info.from_address !== undefined && addressKey(info.from_address) !== found.from) return changedMeanwhile();
    return changeFound(tx, account, id, found, info);
  });
  if (done instanceof Problem) return done;
  // Later claims find what was just stored. The calls below wait for earlier claims.
  await account.transaction((tx) => settleSuppressions(tx, accountId, done.suppressionIds));
  await account.transaction((tx) => settleReplies(tx, accountId, [id]));
  return { status: 'updated' };
}

const notedByHand = () => new Problem('noted_by_hand', '手動の記録は、自動返信にできません。');

const changedMeanwhile = () =>
  new Problem('reply_changed', '新しい返信が届いています。返信を読み込み直して、アドレスを確かめてください。');

async function lockReply(tx: Tx, accountId: number, id: number): Promise<FoundReply | undefined> {
  const isProven = isProvenWriter({
    accountId,
    from: sql`reply.from_address`,
    trust: sql`reply.from_trust`,
    mailedTo: sql`delivery.address_key`,
    prospectId: sql`reply.prospect_id`,
  });
  const { rows } = await sql<FoundReply>`
    SELECT reply.kind, reply.doubted_address IS NOT NULL AS "isDoubtful",
      reply.is_unclear AS "isUnclear", reply.delivery_id AS "deliveryId",
      reply.from_address AS "from",
      ARRAY[delivery.mail_to, prospect.company_email, prospect.person_email,
        CASE WHEN ${isProven} THEN reply.from_address END] AS addresses
    FROM reply
    JOIN prospect ON prospect.account_id = reply.account_id AND prospect.id = reply.prospect_id
    LEFT JOIN delivery ON delivery.account_id = reply.account_id AND delivery.id = reply.delivery_id
    WHERE reply.account_id = ${accountId} AND reply.id = ${id}
    FOR UPDATE OF reply`.execute(tx);
  return rows[0];
}

/**
 * Deletes a mail that is no reply to ours, and releases mails that waited for the decision. Its texts go first: of a
 * process that dies in between, the sweep releases the mails.
 */
async function deleteUnclear(account: MemberDb, id: number): Promise<CallAnswer<typeof updateCall> | Problem> {
  const { id: accountId, memberId } = account;
  const problem = await account.transaction(async (tx) => {
    const found = await lockReply(tx, accountId, id);
    if (!found) return notFound();
    if (!found.isUnclear) return changedMeanwhile();
    // As an automatic reply, it stops nothing and counts nowhere.
    const empty = { kind: 'auto_reply', from_address: '', subject: '', excerpt: '' };
    await tx
      .updateTable('reply')
      .set({ ...empty, cancels_mails: true })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute();
    const detail = { reply_id: id, act: 'not_a_reply', suppression_ids: [] } as const;
    await recordAudit(tx, { accountId, memberId, kind: 'reply_changed', detail });
    return null;
  });
  if (problem) return problem;
  await account.transaction((tx) => settleReplies(tx, accountId, [id]));
  await account.transaction((tx) =>
    tx.deleteFrom('reply').where('account_id', '=', accountId).where('id', '=', id).execute(),
  );
  return { status: 'updated' };
}

async function changeFound(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  id: number,
  found: FoundReply,
  { handled, refused, from_address, kind }: UpdateInfo,
): Promise<{ readonly suppressionIds: readonly number[] }> {
  const suppressionIds = refused === 1 ? await refuseAll(tx, accountId, memberId, found, from_address) : [];
  const isHandled = refused === 1 || handled === 1;
  const changed = await tx
    .updateTable('reply')
    .set(
      kind === undefined
        ? { handled_at: isHandled ? sql<Date>`now()` : null, handled_by: isHandled ? memberId : null }
        : { kind },
    )
    // A reopened reply stops mails again. Mails that an unclear one held are released, or held again.
    .set({ cancels_mails: handled === 0 || kind === 'reply' || found.isDoubtful })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where(kind === undefined ? sql<boolean>`(handled_at IS NOT NULL) <> ${isHandled}` : sql<boolean>`kind <> ${kind}`)
    .returning('id')
    .execute();
  if (changed.length > 0 || suppressionIds.length > 0) {
    const act =
      kind ?? (refused === 1 ? ('refused' as const) : isHandled ? ('handled' as const) : ('reopened' as const));
    const detail = { reply_id: id, act, suppression_ids: suppressionIds } as const;
    await recordAudit(tx, { accountId, memberId, kind: 'reply_changed', detail });
  }
  return { suppressionIds };
}

/**
 * Suppresses all addresses of a reply.
 * @param writer the writer's address, if the member accepts it
 * @returns the ids of the new suppressions
 */
function refuseAll(
  tx: Tx,
  accountId: number,
  memberId: number,
  { addresses, deliveryId }: FoundReply,
  writer: string | undefined,
): Promise<number[]> {
  const keys = [...addresses, writer].flatMap((address) => {
    const parsed = parseMailAddress(address ?? '');
    return parsed.ok ? addressKey(parsed.address) : [];
  });
  const values = [...new Set(keys)].map((value): SuppressionValue => ({ kind: 'address', value }));
  const source = { class: 'refused', source: 'reply', memberId } as const;
  return addSuppressions(tx, { accountId, values, ...source, ...(deliveryId !== null && { deliveryId }) });
}
