import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { recordSendLog as recordCall } from '#contract/sending/send-logs.ts';
import { MAX_RESEND_DAYS } from '#domain/limits.ts';
import { resendCutoff, type SkipReason } from '#domain/sending/eligibility.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { insertRows } from '../../platform/database/driver/insert-rows.ts';
import { fieldProblem, notFound, type Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { ownsSenderGroup } from '../prospects/list/sender-group.queries.ts';
import { groupProblem } from '../rights/group-problem.ts';

/** The most that a client's clock may be ahead. A time within it counts as now. */
const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/**
 * Records that prospects were mailed outside of Kaitaku.
 * Writes a send log without sender and deliveries, its prospects, and the group's contact with each.
 * @param now epoch milliseconds
 * @returns the id of the send log, or `no-added` if no prospect is left, with the skipped prospects; 400 or 404
 */
export async function recordSendLog(
  account: AccountDb,
  { sender_group_id: senderGroupId, attack_list, sent_at }: z.output<(typeof recordCall)['body']>,
  now: number,
): Promise<CallAnswer<typeof recordCall> | Problem> {
  const wanted = sent_at?.getTime() ?? now;
  const fault = sentAtFault(wanted, now);
  if (fault) return fieldProblem('sent_at', 'invalid_sent_at', fault);
  const sentAt = new Date(Math.min(wanted, now));
  const requestedIds = attack_list.map((entry) => (typeof entry === 'number' ? entry : entry.prospect_id));

  const { id: accountId, memberId } = account;
  return account.transaction(async (tx) => {
    if (!(await ownsSenderGroup(tx, { accountId, senderGroupId }))) return notFound();
    const refused = await groupProblem(tx, account, 'sender_group', senderGroupId);
    if (refused) return refused;
    const { ids, skipped } = await partitionProspectIds(tx, accountId, requestedIds);
    if (ids.length === 0) return { status: 'no-added', id: null, skipped };
    const id = await writeLog(tx, { accountId, memberId, senderGroupId, sentAt }, ids);
    const detail = { send_log_id: id, companies: ids.length };
    await recordAudit(tx, { accountId, memberId, kind: 'run_recorded', detail });
    return { status: 'added', id, skipped };
  });
}

function sentAtFault(sentAt: number, now: number): string | null {
  if (sentAt > now + CLOCK_TOLERANCE_MS) return '送信日時が未来です。実際に送った日時を指定してください。';
  // A contact older than the longest re-send interval has no effect.
  if (sentAt < resendCutoff(now, MAX_RESEND_DAYS)) return `送信日時は${MAX_RESEND_DAYS}日前までにしてください。`;
  return null;
}

/** Splits ids into the account's prospects, unique and ascending, and skipped ones with the reason. */
async function partitionProspectIds(tx: Tx, accountId: number, requested: readonly number[]) {
  const rows = await tx
    .selectFrom('prospect')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', sql<number>`any(${requested}::bigint[])`)
    .execute();
  const own = new Set(rows.map(({ id }) => id));
  const ids = new Set<number>();
  const skipped: { prospect_id: number; reason: SkipReason }[] = [];
  for (const prospect_id of requested) {
    if (!own.has(prospect_id)) skipped.push({ prospect_id, reason: 'not_found' });
    else if (ids.has(prospect_id)) skipped.push({ prospect_id, reason: 'duplicate' });
    else ids.add(prospect_id);
  }
  return { ids: [...ids].sort((a, b) => a - b), skipped };
}

const RECORDED_TYPES = { account_id: 'bigint', send_log_id: 'bigint', prospect_id: 'bigint' };
const CONTACT_TYPES = {
  account_id: 'bigint',
  sender_group_id: 'bigint',
  prospect_id: 'bigint',
  last_sent_at: 'timestamptz',
};

/**
 * Inserts the send log, its prospects and the contacts.
 * @param ids ascending: all writers of contact_state use this order, so that no two deadlock
 * @returns the id of the send log
 */
async function writeLog(
  tx: Tx,
  {
    accountId,
    memberId,
    senderGroupId,
    sentAt,
  }: { accountId: number; memberId: number | null; senderGroupId: number; sentAt: Date },
  ids: readonly number[],
): Promise<number> {
  const { id } = await tx
    .insertInto('send_log')
    .values({
      account_id: accountId,
      member_id: memberId,
      sender_group_id: senderGroupId,
      sender_id: null,
      test_send_mode: false,
      sent_at: sentAt,
      days_from_lastday: 0,
      mail: '{}',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const contacts = ids.map((prospect_id) => ({
    account_id: accountId,
    sender_group_id: senderGroupId,
    prospect_id,
    last_sent_at: sentAt,
  }));
  await insertRows(tx, 'contact_state', CONTACT_TYPES, contacts, (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns(['account_id', 'sender_group_id', 'prospect_id']).doUpdateSet({
        last_sent_at: sql`greatest(contact_state.last_sent_at, excluded.last_sent_at)`,
      }),
    ),
  );
  // After contact_state, because its trigger writes address_contact, which all writers lock last.
  const recorded = ids.map((prospect_id) => ({ account_id: accountId, send_log_id: id, prospect_id }));
  await insertRows(tx, 'recorded_contact', RECORDED_TYPES, recorded, (insert) => insert);
  return id;
}
