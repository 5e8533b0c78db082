import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { ListConditions } from '#contract/companies/saved-conditions.ts';
import type { SendAnswer } from '#contract/sending/runs.ts';
import { addressKey, domainOf } from '#domain/mail/address-key.ts';
import type { SendTo } from '#domain/sending/attack-list.ts';
import { type CandidateDate, endOfCandidate } from '#domain/sending/candidate-dates.ts';
import type { SkipReason } from '#domain/sending/eligibility.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import type { Tx } from '../../platform/database/db.ts';
import { insertRows, slicesByLength } from '../../platform/database/driver/insert-rows.ts';
import { mapInSlices } from '../../platform/turns.ts';
import { mergeKeysOf } from '../mail-content/merge-keys.ts';
import { mergeTarget, mergeValuesOf } from '../mail-content/merge-values.queries.ts';
import type { RunMail } from '../mail-content/run-mail.ts';
import { relyOnMailboxes } from '../mailboxes/read-mailboxes.queries.ts';
import { type Begins, beginOf, timesOf } from './begins.queries.ts';
import type { LoadedSender, PickedTargets, Target } from './order.queries.ts';

export interface NewRun {
  readonly accountId: number;
  /** The requesting member; null: unknown. */
  readonly memberId: number | null;
  readonly sender: LoadedSender;
  readonly sendTo: SendTo;
  readonly test: boolean;
  readonly daysFromLastday: number;
  readonly mail: RunMail;
  readonly candidates: readonly CandidateDate[];
  readonly begins: Begins;
  /** The idempotency key of the request. Runs of reservations have none. */
  readonly idempotencyKey?: string | null;
  /** SHA-256 of the request that came with the key. */
  readonly requestHash?: Buffer;
  readonly reservationId?: number;
  /** The reserved time of a reservation that is sent early. */
  readonly wasReservedFor?: Date | undefined;
  /** The list of the targets; null: chosen one by one; undefined: unknown. */
  readonly listConditions: ListConditions;
  /** The answer's legal faults. */
  readonly legal?: Pick<SendAnswer, 'legal_faults'>;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The undo window, in which no mail is sent and the run can be cancelled. 0 for reservations that came due. */
  readonly undoSeconds?: number;
}

/** The answer to the request. `accepted` 0: concurrent requests took all targets after they were picked. */
type WrittenRun = SendAnswer & { readonly send_log_id: number };

/** Writes a run with its deliveries and its answer. @returns null if another run has the idempotency key */
export async function writeRun(tx: Tx, run: NewRun, picked: PickedTargets): Promise<WrittenRun | null> {
  const log = await insertSendLog(tx, run);
  if (!log) return null;
  const { accountId, sender, mail } = run;
  const { refusal_mailbox, answer_mailbox } = mail.legal;
  const reliedOn = [refusal_mailbox, answer_mailbox].filter((id) => id !== undefined);
  if (!run.test) await relyOnMailboxes(tx, accountId, reliedOn);
  // If the transaction has waited for locks, the window ends later than the request could know.
  const begins = { ...run.begins, at: Math.max(run.begins.at, log.starts_at?.getTime() ?? 0) };
  await tx
    .insertInto('sender_throttle')
    .values({ account_id: accountId, profile_id: sender.profile_id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const written = await insertDeliveries(tx, { ...run, begins }, log, picked);
  const queued = new Set(written.flatMap(({ prospect_id, state }) => (state === 'queued' ? [prospect_id] : [])));
  const answer: WrittenRun = {
    status: 'accepted',
    send_log_id: log.id,
    accepted: queued.size,
    skipped: [
      ...picked.skipped.map(({ prospect_id, reason }) => ({ prospect_id, reason })),
      ...picked.targets
        .filter(({ prospect_id }) => !queued.has(prospect_id))
        .map(({ prospect_id }) => ({ prospect_id, reason: 'open_delivery' as const })),
    ],
    ...(log.starts_at && { starts_at: formatSecond(log.starts_at.getTime()) }),
    ...run.legal,
    ...(queued.size > 0 && (await timesOf(tx, { accountId, profileId: sender.profile_id }, begins, 0))),
  };
  await tx
    .updateTable('send_log')
    .set({ targets: written.length, answer: JSON.stringify(answer) })
    .where('account_id', '=', accountId)
    .where('id', '=', log.id)
    .execute();
  return answer;
}

/** The columns that record the list of a run or a reservation. */
export const listColumns = (listConditions: ListConditions) => ({
  list_conditions: listConditions ? JSON.stringify(listConditions) : null,
  companies_chosen: listConditions === null,
});

/** Reads the list conditions from those columns. */
export const listConditionsOf = (row: { list_conditions: unknown; companies_chosen: boolean }): ListConditions =>
  row.companies_chosen ? null : ((row.list_conditions as ListConditions) ?? undefined);

/** Deletes a run that was written in this transaction. */
export async function removeRun(tx: Tx, accountId: number, sendLogId: number): Promise<void> {
  await tx.deleteFrom('delivery').where('account_id', '=', accountId).where('send_log_id', '=', sendLogId).execute();
  await tx.deleteFrom('send_log').where('account_id', '=', accountId).where('id', '=', sendLogId).execute();
}

function insertSendLog(tx: Tx, { accountId, memberId, sender, sendTo, test, ...run }: NewRun) {
  const {
    daysFromLastday,
    mail,
    candidates,
    idempotencyKey,
    requestHash,
    reservationId,
    wasReservedFor,
    listConditions,
    now,
    undoSeconds = 0,
  } = run;
  return tx
    .insertInto('send_log')
    .values({
      account_id: accountId,
      member_id: memberId,
      sender_group_id: sender.sender_group_id,
      sender_id: sender.id,
      template_id: sender.template_id,
      send_to: sendTo,
      test_send_mode: test,
      sent_at: new Date(now),
      days_from_lastday: daysFromLastday,
      mail: JSON.stringify(mail),
      dates_until: candidates.length === 0 ? null : new Date(Math.min(...candidates.map(endOfCandidate))),
      idempotency_key: idempotencyKey,
      request_hash: requestHash,
      reservation_id: reservationId,
      was_reserved_for: wasReservedFor,
      starts_at: undoSeconds > 0 ? endOfWindow(undoSeconds) : null,
      ...listColumns(listConditions),
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'idempotency_key']).doNothing())
    .returning(['id', 'starts_at', sql<Date>`now()`.as('at')])
    .executeTakeFirst();
}

/** By the clock of the claims, after the wait for locks. Rounded up to whole seconds, as screens show it. */
const endOfWindow = (seconds: number) =>
  sql<Date>`date_trunc('second', clock_timestamp() + make_interval(secs => ${seconds + 1}))`;

/** A row of `delivery`: the columns that differ within a run. */
interface PlannedMail extends Target {
  readonly state: 'queued' | 'cancelled';
  readonly reason: SkipReason | null;
  /** When the mail may be sent, if later than its run. */
  readonly not_before?: Date;
  readonly mail_date?: Date;
  readonly put_off?: string;
  /** JSON. */
  readonly merge_values?: string;
}

const DELIVERY_TYPES = {
  account_id: 'bigint',
  send_log_id: 'bigint',
  sender_group_id: 'bigint',
  sender_id: 'bigint',
  profile_id: 'bigint',
  test_send_mode: 'boolean',
  mail_date: 'timestamptz',
  not_before: 'timestamptz',
  put_off: 'text',
  state: 'text',
  reason: 'text',
  message_id: 'text',
  prospect_id: 'bigint',
  row_index: 'integer',
  company_name: 'text',
  person_in_charge: 'text',
  person_id: 'bigint',
  industry_id: 'integer',
  mail_to: 'text',
  merge_values: 'jsonb',
  follows_id: 'bigint',
};

/**
 * Inserts a run's deliveries: queued ones for its targets, cancelled ones for its skipped prospects.
 * A target is cancelled with the reason `open_delivery` if a concurrent request has an open delivery to its prospect or
 * address.
 * @returns the inserted rows
 */
async function insertDeliveries(
  tx: Tx,
  { accountId, sender, test, mail: runMail, begins, now }: NewRun,
  { id: sendLogId, starts_at, at }: NonNullable<Awaited<ReturnType<typeof insertSendLog>>>,
  { targets, skipped }: PickedTargets,
): Promise<{ prospect_id: number; state: string }[]> {
  const domain = domainOf(sender.email);
  const common = {
    account_id: accountId,
    send_log_id: sendLogId,
    sender_group_id: sender.sender_group_id,
    sender_id: sender.id,
    profile_id: sender.profile_id,
    test_send_mode: test,
    mail_date: new Date(now),
    not_before: starts_at ?? at,
  };
  const begin = beginOf(begins);
  const opens = new Date(begin);
  const later = begin > begins.at && { not_before: opens, mail_date: opens, put_off: 'hours' };
  const values = await mergeValuesOf(tx, accountId, targets.map(mergeTarget), mergeKeysOf(runMail));
  const plan = (target: Target): PlannedMail => {
    const known = values.get(target.prospect_id);
    const shown = known && { merge_values: JSON.stringify(known) };
    return { ...target, state: 'queued', reason: null, ...later, ...shown };
  };
  const rows = inOrder([
    ...(await mapInSlices(targets, plan, GROUP_TARGETS)),
    ...skipped.flatMap(({ target, reason }): PlannedMail[] =>
      target ? [{ ...target, state: 'cancelled', reason }] : [],
    ),
  ]);
  const insert = (mails: readonly PlannedMail[]) =>
    insertRows(
      tx,
      'delivery',
      DELIVERY_TYPES,
      mails.values().map((mail) => ({ ...common, ...mail, message_id: `<${randomUUID()}@${domain}>` })),
      // Rows that violate a unique index are skipped.
      (statement) => statement.onConflict((conflict) => conflict.doNothing()).returning(['prospect_id', 'state']),
    );
  const written: Awaited<ReturnType<typeof insert>> = [];
  for (const slice of slicesByLength(rows, ({ merge_values = '' }) => merge_values.length))
    written.push(...(await insert(slice)));
  const inserted = new Set(written.map(({ prospect_id }) => prospect_id));
  const conflicting = rows.filter(({ prospect_id }) => !inserted.has(prospect_id));
  const cancelled = conflicting.map((mail): PlannedMail => ({ ...mail, state: 'cancelled', reason: 'open_delivery' }));
  return [...written, ...(await insert(cancelled))];
}

/** Targets of some 30 µs, where own fields are full. */
const GROUP_TARGETS = 20;

/** All runs insert in this order, so that two with the same addresses or prospects do not deadlock. */
const inOrder = (mails: readonly PlannedMail[]): PlannedMail[] =>
  mails
    .map((mail) => ({ mail, key: addressKey(mail.mail_to ?? '') }))
    .sort((a, b) => compareKeys(a.key, b.key) || a.mail.prospect_id - b.mail.prospect_id)
    .map(({ mail }) => mail);

const compareKeys = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
