import { type Expression, type SqlBool, sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type { retryFailures as retryCall } from '#contract/run-control.ts';
import { addressKey } from '#domain/address-key.ts';
import { type LeftOutReason, resendCutoff } from '#domain/eligibility.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { leftOutReason } from '../attack-list/eligibility.queries.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { claimableFrom, type LockedRun, lockRun, type RunKey, reopenRun } from '../delivery/run-rows.queries.ts';

/**
 * Puts the failed mails of a run into the queue again, to the address their companies have now; whoever may not be mailed stays failed
 * and is told with the reason. Asked for twice, the second finds nothing failed. @param now epoch milliseconds
 */
export function retryFailures(
  account: AccountDb,
  sendLogId: number,
  now: number,
): Promise<CallAnswer<typeof retryCall> | Refusal> {
  const { id: accountId, memberId } = account;
  const key = { accountId, id: sendLogId };
  return account.transaction(async (tx) => {
    const run = await lockRun(tx, key);
    if (!run) return notFound();
    const failed = await judge(tx, key, run, now, sql<SqlBool>`d.state = 'failed'`);
    const fine = failed.filter(({ reason }) => reason === null);
    if (fine.length > 0) {
      const queued = await requeue(tx, key, run, fine);
      if (queued instanceof Refusal) return queued;
      await reopenRun(tx, key);
      const detail = { send_log_id: sendLogId, mails: fine.length };
      await recordAudit(tx, { accountId, memberId, kind: 'run_retried', detail });
    }
    const skipped = failed.flatMap(({ prospect_id, reason }) => (reason === null ? [] : [{ prospect_id, reason }]));
    return { status: fine.length > 0 ? 'accepted' : 'no-added', accepted: fine.length, skipped };
  });
}

const alreadyDecided = () =>
  new Refusal(409, 'not_unknown', 'このメールはすでに処理されています。画面を読み込み直してください。');

/**
 * The owner's decision about a mail nobody knows the end of: it counts as sent, or it is sent again under its old Message-ID.
 * @param claimNo of the try that the owner saw: a decision about an earlier one is refused, so that two tabs cannot send twice
 */
export function decideUnknown(
  account: AccountDb,
  deliveryId: number,
  { state, claimNo }: { state: 'sent' | 'queued'; claimNo: number },
  now: number,
): Promise<{ status: 'updated' } | Refusal> {
  const { id: accountId, memberId } = account;
  return account.transaction(async (tx) => {
    const delivery = await tx
      .selectFrom('delivery')
      .select('send_log_id')
      .where('account_id', '=', accountId)
      .where('id', '=', deliveryId)
      .executeTakeFirst();
    if (!delivery) return notFound();
    const key = { accountId, id: delivery.send_log_id };
    const run = await lockRun(tx, key);
    if (!run) return notFound();
    const [mail] = await judge(
      tx,
      key,
      run,
      now,
      sql<SqlBool>`d.id = ${deliveryId} AND d.state = 'unknown' AND d.claim_no = ${claimNo}`,
    );
    if (!mail) return alreadyDecided();
    const detail = { send_log_id: key.id, delivery_id: deliveryId, decision: state };
    if (state === 'sent') {
      await countAsSent(tx, accountId, deliveryId);
      await recordAudit(tx, { accountId, memberId, kind: 'unknown_decided', detail });
      return { status: 'updated' };
    }
    // It counts as contacted because of itself.
    if (mail.reason !== null && mail.reason !== 'recently_sent') {
      return new Refusal(
        409,
        'left_out',
        'この見込み客には、いま送信できません（無効、配信停止、予約中など）。見込み客リストを確認してください。',
      );
    }
    const queued = await requeue(tx, key, run, [mail]);
    if (queued instanceof Refusal) return queued;
    await reopenRun(tx, key);
    await recordAudit(tx, { accountId, memberId, kind: 'unknown_decided', detail });
    return { status: 'updated' };
  });
}

interface Judged {
  readonly id: number;
  readonly prospect_id: number;
  readonly mail_to: string;
  readonly reason: LeftOutReason | 'duplicate' | null;
}

/**
 * Mails of a locked run that fulfil a condition, locked, with why their companies may not be mailed now, or that another mail of the run goes, or
 * went, to the address which the company has now. A test asks nobody.
 */
async function judge(
  tx: Tx,
  { accountId, id }: RunKey,
  run: LockedRun,
  now: number,
  condition: Expression<SqlBool>,
): Promise<Judged[]> {
  const cutoff = new Date(resendCutoff(now, run.days_from_lastday));
  const scope = { accountId, senderGroupId: run.sender_group_id, cutoff, exceptSendLogId: id };
  const address = run.test_send_mode ? sql`d.mail_to` : sql`coalesce(prospect.company_email, d.mail_to)`;
  const isTaken = sql`EXISTS (
    SELECT FROM delivery other
    WHERE other.account_id = d.account_id AND other.send_log_id = d.send_log_id AND other.id <> d.id
      AND other.state NOT IN ('failed', 'cancelled') AND other.address_key = lower(${address} COLLATE "C"))`;
  const reason = run.test_send_mode
    ? sql`NULL`
    : sql`coalesce(${leftOutReason(scope)}, CASE WHEN ${isTaken} THEN 'duplicate' END)`;
  const { rows } = await sql<Judged>`
    SELECT d.id, d.prospect_id, ${address} AS mail_to, ${reason} AS reason
    FROM delivery d
    JOIN prospect ON prospect.account_id = d.account_id AND prospect.id = d.prospect_id
    WHERE d.account_id = ${accountId} AND d.send_log_id = ${id} AND ${condition}
    ORDER BY d.id
    FOR UPDATE OF d`.execute(tx);
  return run.test_send_mode ? rows : onceAnAddress(rows);
}

/** Of several that are fine and have one address by now, the first. */
function onceAnAddress(mails: readonly Judged[]): Judged[] {
  const taken = new Set<string>();
  return mails.map((mail) => {
    const address = addressKey(mail.mail_to);
    if (mail.reason !== null) return mail;
    if (taken.has(address)) return { ...mail, reason: 'duplicate' };
    taken.add(address);
    return mail;
  });
}

/** A failed mail begins anew, with all its tries before it; one that ended unknown goes on to count those it had. */
async function requeue(
  tx: Tx,
  { accountId }: RunKey,
  run: LockedRun,
  mails: readonly Judged[],
): Promise<Refusal | null> {
  try {
    await holdAddresses(tx, accountId, mails);
    await sql`
      UPDATE delivery d
      SET state = 'queued', reason = NULL, mail_to = again.mail_to, not_before = ${claimableFrom(run)}, finished_at = NULL,
        attempts = CASE WHEN d.state = 'unknown' THEN d.attempts ELSE 0 END, maybe_sent = d.maybe_sent OR d.state = 'unknown'
      FROM unnest(${mails.map(({ id }) => id)}::bigint[], ${mails.map(({ mail_to }) => mail_to)}::text[])
        AS again (id, mail_to)
      WHERE d.account_id = ${accountId} AND d.id = again.id`.execute(tx);
    return null;
  } catch (error) {
    // delivery_open_key, delivery_open_address_key: another run has taken a company or an address since we judged.
    if ((error as { code?: string }).code !== '23505') throw error;
    return new Refusal(409, 'open_delivery', 'ほかの送信と重なりました。少し待ってから、やり直してください。');
  }
}

/**
 * Keeps the addresses of unknown mails as contacted, because their first try may have arrived; and tells other prospects' previews of the
 * addresses that the next tries go to (see migrations/0018_contact_by_address.sql).
 */
async function holdAddresses(tx: Tx, accountId: number, mails: readonly Judged[]): Promise<void> {
  const ids = mails.map(({ id }) => id);
  await sql`
    INSERT INTO address_contact AS known (account_id, sender_group_id, address_key, last_sent_at)
    SELECT account_id, sender_group_id, address_key, max(coalesce(finished_at, now())) FROM delivery
    WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[]) AND state = 'unknown' AND NOT test_send_mode
    GROUP BY 1, 2, 3
    ORDER BY 3
    ON CONFLICT (account_id, address_key, sender_group_id)
      DO UPDATE SET last_sent_at = greatest(known.last_sent_at, excluded.last_sent_at)`.execute(tx);
  await sql`
    SELECT share_addresses(array_agg(d.account_id), array_agg(d.prospect_id), array_agg(lower(again.mail_to COLLATE "C")))
    FROM unnest(${ids}::bigint[], ${mails.map(({ mail_to }) => mail_to)}::text[]) AS again (id, mail_to)
    JOIN delivery d ON d.account_id = ${accountId} AND d.id = again.id AND NOT d.test_send_mode`.execute(tx);
}

async function countAsSent(tx: Tx, accountId: number, deliveryId: number): Promise<void> {
  await tx
    .updateTable('delivery')
    .set({ state: 'sent', reason: 'counted_as_sent' })
    .where('account_id', '=', accountId)
    .where('id', '=', deliveryId)
    .where('state', '=', 'unknown')
    .execute();
}
