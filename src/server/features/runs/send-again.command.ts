import { type Expression, type SqlBool, sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type { retryFailures as retryCall } from '#contract/run-control.ts';
import { addressKey } from '#domain/address-key.ts';
import { type BlockReason, resendCutoff } from '#domain/eligibility.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
import { violatedKey } from '../../platform/db.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import { blockReason } from '../attack-list/eligibility.queries.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { claimableFrom, type LockedRun, lockRun, type RunKey, reopenRun } from '../delivery/run-rows.queries.ts';

/**
 * Queues the failed mails of a run again, to the current addresses of their prospects.
 * Mails to prospects that may not be mailed now stay failed. A repeated request finds no failed mail.
 * @param now epoch milliseconds
 * @returns how many were queued, and the reason for each that was not; 404; or 409 for a conflict with another run
 */
export function retryFailures(
  account: AccountDb,
  sendLogId: number,
  now: number,
): Promise<CallAnswer<typeof retryCall> | Refusal> {
  const key = { accountId: account.id, id: sendLogId };
  return account.transaction((tx) => retryFailed(tx, account, key, { condition: sql<SqlBool>`true`, now }));
}

/** Queues one failed mail again, as `retryFailures` does. A mail that has not failed is not changed. */
export function retryDelivery(
  account: AccountDb,
  deliveryId: number,
  now: number,
): Promise<CallAnswer<typeof retryCall> | Refusal> {
  return account.transaction(async (tx) => {
    const key = await findRunOf(tx, account.id, deliveryId);
    return key ? retryFailed(tx, account, key, { condition: sql<SqlBool>`d.id = ${deliveryId}`, now }) : notFound();
  });
}

interface Retried {
  /** On a row `d` of `delivery`. */
  readonly condition: Expression<SqlBool>;
  readonly now: number;
}

async function retryFailed(
  tx: Tx,
  { id: accountId, memberId }: AccountDb,
  key: RunKey,
  { condition, now }: Retried,
): Promise<CallAnswer<typeof retryCall> | Refusal> {
  const run = await lockRun(tx, key);
  if (!run) return notFound();
  const failed = await checkEligibility(tx, key, run, now, sql<SqlBool>`d.state = 'failed' AND ${condition}`);
  const eligible = failed.filter(({ reason }) => reason === null);
  if (eligible.length > 0) {
    const queued = await requeue(tx, key, run, eligible);
    if (queued instanceof Refusal) return queued;
    await reopenRun(tx, key);
    const detail = { send_log_id: key.id, mails: eligible.length };
    await recordAudit(tx, { accountId, memberId, kind: 'run_retried', detail });
  }
  const skipped = failed.flatMap(({ prospect_id, reason }) => (reason === null ? [] : [{ prospect_id, reason }]));
  return { status: eligible.length > 0 ? 'accepted' : 'no-added', accepted: eligible.length, skipped };
}

/**
 * Settles a mail in state `unknown`: it counts as sent, or it is sent again with the same Message-ID.
 * @param claimNo the number of the claim that the user saw. A decision about an earlier claim is refused, so that two
 * tabs cannot send the mail twice
 * @param now epoch milliseconds
 * @returns 404; 409 when the mail is no longer unknown, may not be mailed or conflicts with another run
 */
export function decideUnknown(
  account: AccountDb,
  deliveryId: number,
  { state, claimNo }: { state: 'sent' | 'queued'; claimNo: number },
  now: number,
): Promise<{ status: 'updated' } | Refusal> {
  const { id: accountId, memberId } = account;
  return account.transaction(async (tx) => {
    const key = await findRunOf(tx, accountId, deliveryId);
    if (!key) return notFound();
    const run = await lockRun(tx, key);
    if (!run) return notFound();
    const isAsSeen = sql<SqlBool>`d.id = ${deliveryId} AND d.state = 'unknown' AND d.claim_no = ${claimNo}`;
    const [mail] = await checkEligibility(tx, key, run, now, isAsSeen);
    if (!mail) return notUnknown();
    const refused =
      state === 'sent' ? await countAsSent(tx, accountId, deliveryId) : await sendAgain(tx, key, run, mail);
    if (refused) return refused;
    const detail = { send_log_id: key.id, delivery_id: deliveryId, decision: state };
    await recordAudit(tx, { accountId, memberId, kind: 'unknown_decided', detail });
    return { status: 'updated' };
  });
}

const notUnknown = () =>
  new Refusal(409, 'not_unknown', 'このメールはすでに処理されています。画面を読み込み直してください。');

async function findRunOf(tx: Tx, accountId: number, deliveryId: number): Promise<RunKey | null> {
  const { rows } = await sql<RunKey>`
    SELECT account_id AS "accountId", send_log_id AS id FROM every_delivery
    WHERE account_id = ${accountId} AND id = ${deliveryId}`.execute(tx);
  return rows[0] ?? null;
}

/** Queues an unknown mail again. @returns null when it was queued; 409 */
async function sendAgain(tx: Tx, key: RunKey, run: LockedRun, mail: CheckedMail): Promise<Refusal | null> {
  // The unknown mail itself makes its prospect count as recently contacted.
  if (mail.reason !== null && mail.reason !== 'recently_sent') {
    return new Refusal(
      409,
      'left_out',
      'この見込み客には、いま送信できません（アーカイブ済み、無効、配信停止、返信あり、予約中など）。見込み客リストを確認してください。',
    );
  }
  const refused = await requeue(tx, key, run, [mail]);
  if (!refused) await reopenRun(tx, key);
  return refused;
}

interface CheckedMail {
  readonly id: number;
  readonly prospect_id: number;
  /** The current address of the prospect, or of a test the test address. */
  readonly mail_to: string;
  /** Why the prospect may not be mailed now; null: it may. */
  readonly reason: BlockReason | 'duplicate' | null;
}

/**
 * Selects and locks the mails of a locked run that meet a condition, and checks whether each may be mailed now.
 * A mail is a duplicate when another mail of the run, not failed or cancelled, has the prospect's current address.
 * Mails of a test are not checked.
 * @param condition on a row `d` of `delivery`
 */
async function checkEligibility(
  tx: Tx,
  { accountId, id }: RunKey,
  run: LockedRun,
  now: number,
  condition: Expression<SqlBool>,
): Promise<CheckedMail[]> {
  const cutoff = new Date(resendCutoff(now, run.days_from_lastday));
  const scope = { accountId, senderGroupId: run.sender_group_id, cutoff, exceptSendLogId: id };
  const address = run.test_send_mode ? sql`d.mail_to` : sql`coalesce(prospect.company_email, d.mail_to)`;
  const isTaken = sql`EXISTS (
    SELECT FROM delivery other
    WHERE other.account_id = d.account_id AND other.send_log_id = d.send_log_id AND other.id <> d.id
      AND other.state NOT IN ('failed', 'cancelled') AND other.address_key = lower(${address} COLLATE "C"))`;
  const ofReal = sql`coalesce(${blockReason(scope)}, CASE WHEN ${isTaken} THEN 'duplicate' END)`;
  const ofAny = run.test_send_mode ? sql`NULL` : ofReal;
  // A mail of an erased person has no address, whatever its company has now.
  const reason = sql`CASE WHEN d.erased_hash IS NULL THEN ${ofAny}
    WHEN prospect.archived_at IS NULL THEN 'no_email' ELSE 'archived' END`;
  const { rows } = await sql<CheckedMail>`
    SELECT d.id, d.prospect_id, ${address} AS mail_to, ${reason} AS reason
    FROM delivery d
    JOIN prospect ON prospect.account_id = d.account_id AND prospect.id = d.prospect_id
    WHERE d.account_id = ${accountId} AND d.send_log_id = ${id} AND ${condition}
    ORDER BY d.id
    FOR UPDATE OF d`.execute(tx);
  return run.test_send_mode ? rows : dedupeByAddress(rows);
}

/** Keeps the first of several eligible mails with the same address; the others become duplicates. */
function dedupeByAddress(mails: readonly CheckedMail[]): CheckedMail[] {
  const taken = new Set<string>();
  return mails.map((mail) => {
    if (mail.reason !== null) return mail;
    const address = addressKey(mail.mail_to);
    if (taken.has(address)) return { ...mail, reason: 'duplicate' };
    taken.add(address);
    return mail;
  });
}

/**
 * Queues mails again. A failed mail starts with no attempts counted; an unknown mail keeps its count.
 * @returns null when all were queued; 409 when another run has taken one of the prospects or addresses
 */
async function requeue(
  tx: Tx,
  { accountId }: RunKey,
  run: LockedRun,
  mails: readonly CheckedMail[],
): Promise<Refusal | null> {
  try {
    await recordAddresses(tx, accountId, mails);
    await sql`
      UPDATE delivery d
      SET state = 'queued', reason = NULL, mail_to = again.mail_to, not_before = ${claimableFrom(run)},
        finished_at = NULL, attempts = CASE WHEN d.state = 'unknown' THEN d.attempts ELSE 0 END,
        maybe_sent = d.maybe_sent OR d.state = 'unknown'
      FROM unnest(${mails.map(({ id }) => id)}::bigint[], ${mails.map(({ mail_to }) => mail_to)}::text[])
        AS again (id, mail_to)
      WHERE d.account_id = ${accountId} AND d.id = again.id`.execute(tx);
    return null;
  } catch (error) {
    // unique_violation of delivery_open_key or delivery_open_address_key: another run was faster.
    if (violatedKey(error) === null) throw error;
    return new Refusal(409, 'open_delivery', 'ほかの送信と重なりました。少し待ってから、やり直してください。');
  }
}

/**
 * Records the addresses of mails before they are queued again (migrations/0018_contact_by_address.sql).
 * The old addresses of unknown mails stay contacted, because their earlier try may have arrived. The new addresses are
 * recorded as shared, so that the previews of other prospects with the same address find them.
 */
async function recordAddresses(tx: Tx, accountId: number, mails: readonly CheckedMail[]): Promise<void> {
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
    SELECT share_addresses(
      array_agg(d.account_id), array_agg(d.prospect_id), array_agg(lower(again.mail_to COLLATE "C")))
    FROM unnest(${ids}::bigint[], ${mails.map(({ mail_to }) => mail_to)}::text[]) AS again (id, mail_to)
    JOIN delivery d ON d.account_id = ${accountId} AND d.id = again.id AND NOT d.test_send_mode`.execute(tx);
}

async function countAsSent(tx: Tx, accountId: number, deliveryId: number): Promise<null> {
  await tx
    .updateTable('delivery')
    .set({ state: 'sent', reason: 'counted_as_sent' })
    .where('account_id', '=', accountId)
    .where('id', '=', deliveryId)
    .where('state', '=', 'unknown')
    .execute();
  return null;
}
