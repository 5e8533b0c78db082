import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { DeliveryRow, viewDeliveries as deliveriesCall, getDelivery } from '#contract/sending/send-logs.ts';
import { ERASED_NAME } from '#domain/law/erased-name.ts';
import { addressee } from '#domain/mail/addressee.ts';
import type { DeliveryReason, PausedBy, ShownState } from '#domain/sending/delivery-state.ts';
import { failureCause } from '#domain/sending/failure-cause.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { hasWords } from '../../platform/database/has-words.ts';
import { byKey, hasRow } from '../../platform/database/list-rows.ts';
import { notFound, type Problem } from '../../platform/problem.ts';
import { readFollowedMails } from '../mail-content/followed-mails.queries.ts';
import type { MergeValues } from '../mail-content/merge-keys.ts';
import { type MailTarget, type RunMail, renderMail, TemplateFault } from '../mail-content/run-mail.ts';
import { readSuppression } from '../suppressions/suppression.queries.ts';

/**
 * Reads a page of a run's mails in the order of its list, or failed ones first.
 * @returns 404 when the account has no such send log
 */
export function viewDeliveries(
  account: AccountDb,
  sendLogId: number,
  { state, search = '', order, pagenate_count, pagenate_num }: z.output<(typeof deliveriesCall)['query']>,
): Promise<CallAnswer<typeof deliveriesCall> | Problem> {
  return account.snapshot(async (tx) => {
    if (!(await hasRow(tx, 'send_log', { accountId: account.id, id: sendLogId }))) return notFound();
    const ofRun = deliveries(tx, account.id)
      .where('delivery.send_log_id', '=', sendLogId)
      .$if(state !== undefined, (query) => query.where(hasState(state as ShownState)))
      .where(hasWords(sql`delivery.company_name`, search));
    const rows = await ofRun
      .select(COLUMNS)
      .$if(order === 'failed_first', (query) => query.orderBy(sql`delivery.state = 'failed'`, 'desc'))
      .orderBy('delivery.row_index')
      .orderBy('delivery.id')
      .limit(pagenate_count)
      .offset((pagenate_num - 1) * pagenate_count)
      .execute();
    const { total } = await ofRun.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
    return { rows: rows.map(asRow), total };
  });
}

/**
 * Reads one mail, with its content rendered from the run's stored content, as for sending.
 * @returns the mail, with content null if it cannot be rendered; 404
 */
export function viewDelivery(account: AccountDb, id: number): Promise<CallAnswer<typeof getDelivery> | Problem> {
  return account.snapshot(async (tx) => {
    const row = await deliveries(tx, account.id)
      .innerJoin('send_log', byKey('send_log', 'delivery.send_log_id'))
      .select(COLUMNS)
      .select([
        sql<MergeValues | null>`delivery.merge_values`.as('merge_values'),
        'delivery.mail_key',
        'delivery.follows_id',
        'delivery.send_log_id',
        'delivery.sender_group_id',
        'delivery.test_send_mode',
        'send_log.mail',
        sql<PausedBy | null>`CASE WHEN send_log.ended_at IS NULL THEN send_log.paused_by END`.as('run_paused_by'),
      ])
      .where('delivery.id', '=', id)
      .executeTakeFirst();
    if (!row) return notFound();
    const { merge_values, mail, mail_key, follows_id, ...rest } = row;
    const { send_log_id, sender_group_id, test_send_mode, run_paused_by, ...delivery } = rest;
    const followed = await readFollowedMails(tx, account.id, follows_id === null ? [] : [follows_id]);
    const follows = followed.get(follows_id ?? 0);
    const key = mail_key.replaceAll('-', '');
    const target = { ...delivery, merge_values, mail_key: key, follows };
    const shown = mailOf(mail as unknown as RunMail, target);
    const run = { send_log_id, sender_group_id, test_send_mode: asFlag(test_send_mode), run_paused_by };
    const suppressed = await readSuppression(tx, account.id, delivery.mail_to);
    return { ...asRow(delivery), ...run, mail: shown, suppressed };
  });
}

const deliveries = (tx: Tx, accountId: number) =>
  tx.selectFrom('delivery').where('delivery.account_id', '=', accountId);

const hasState = (state: ShownState) =>
  state === 'sending'
    ? sql<SqlBool>`delivery.state IN ('claimed', 'sending')`
    : sql<SqlBool>`delivery.state = ${state}`;

const COLUMNS = [
  'delivery.id',
  'delivery.prospect_id',
  'delivery.company_name',
  'delivery.mail_to',
  'delivery.person_id',
  'delivery.person_in_charge',
  'delivery.reason',
  'delivery.attempts',
  'delivery.claim_no',
  'delivery.finished_at',
  'delivery.delivered_at',
  'delivery.smtp_reply',
  sql<boolean>`delivery.blanked_at IS NOT NULL`.as('archived'),
  sql<string>`CASE delivery.state WHEN 'claimed' THEN 'sending' ELSE delivery.state END`.as('state'),
  // A mail of a paused run has not_before infinity.
  sql<Date | null>`CASE WHEN delivery.state = 'queued' AND delivery.not_before <> 'infinity'
    THEN delivery.not_before END`.as('next_try_at'),
] as const;

type Instants = 'finished_at' | 'delivered_at' | 'next_try_at';

const asSecond = (instant: Date | null): string | null => instant && formatSecond(instant.getTime());

type Selected = Omit<DeliveryRow, 'person' | 'cause' | 'state' | 'reason' | Instants> & {
  readonly person_id: number | null;
  readonly person_in_charge: string;
  readonly state: string;
  readonly reason: string | null;
  readonly finished_at: Date | null;
  readonly delivered_at: Date | null;
  readonly next_try_at: Date | null;
};

const asRow = ({
  person_id,
  person_in_charge,
  finished_at,
  delivered_at,
  next_try_at,
  state,
  reason,
  ...row
}: Selected): DeliveryRow => ({
  ...row,
  company_name: row.company_name || ERASED_NAME,
  person: person_id === null ? null : { id: person_id, addressee: addressee(person_in_charge) },
  state: state as ShownState,
  reason: reason as DeliveryReason | null,
  cause: failureCause({ state: state as ShownState, reply: row.smtp_reply, address: row.mail_to }),
  finished_at: asSecond(finished_at),
  delivered_at: asSecond(delivered_at),
  next_try_at: asSecond(next_try_at),
});

function mailOf(
  mail: RunMail,
  delivery: MailTarget & { readonly mail_to: string | null },
): CallAnswer<typeof getDelivery>['mail'] {
  try {
    const from = { name: mail.sender.person_in_charge, address: mail.sender.email };
    return { ...renderMail(mail, delivery), from, to: delivery.mail_to ?? '' };
  } catch (error) {
    if (error instanceof TemplateFault) return null;
    throw error;
  }
}
