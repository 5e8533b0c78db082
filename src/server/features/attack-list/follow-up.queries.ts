import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { listFollowUpRuns as listCall } from '#contract/companies/attack-list.ts';
import type { SendTo } from '#domain/sending/attack-list.ts';
import type { BlockReason, SkipReason } from '#domain/sending/eligibility.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { DB } from '../../platform/database/db-types.ts';
import type { ProspectIds } from '../prospects/list/membership.queries.ts';
import type { GroupScope } from '../prospects/list/sender-group.queries.ts';
import { chosenPersonId, type To } from './chosen-address.queries.ts';

/*
 * Follow-ups: mails to the companies of an earlier run that have not replied (decisions/runs). A follow-up cannot
 * be followed up itself.
 */

const eb = expressionBuilder<DB, never>();

/**
 * Selects a group's mails (`first`) that a follow-up of their run may address: the last mail to each company.
 * Bounced mails have failed, so they are excluded. So are mails to another person than the one who would get the
 * follow-up: a thread does not change its reader. The attack list checks everything else, such as replies.
 */
export const followableMails = (scope: FollowUpScope, runId: number) =>
  followableByAnybody(scope, runId).where(isToChosen(scope.sendTo, scope.accountId));

/** The same with mails to other persons. */
export const followableByAnybody = ({ accountId, senderGroupId, exceptSendLogId }: FollowUpScope, runId: number) =>
  eb
    .selectFrom('delivery as first')
    .where('first.account_id', '=', accountId)
    .where('first.send_log_id', '=', runId)
    .where('first.sender_group_id', '=', senderGroupId)
    .where('first.state', '=', 'sent')
    // Neither blanked nor erased.
    .where('first.erased_hash', 'is', null)
    .where('first.test_send_mode', '=', false)
    .where('first.follows_id', 'is', null)
    .where(sql<SqlBool>`NOT EXISTS (
      SELECT FROM contact_state AS contact
      WHERE contact.account_id = ${accountId} AND contact.sender_group_id = ${senderGroupId}
        AND contact.prospect_id = first.prospect_id AND contact.last_sent_at > first.finished_at)`)
    .where(sql<SqlBool>`NOT EXISTS (
      SELECT FROM delivery AS later
      WHERE later.account_id = ${accountId} AND later.prospect_id = first.prospect_id
        AND later.sender_group_id = ${senderGroupId} AND later.id > first.id AND NOT later.test_send_mode
        AND later.state <> 'cancelled' AND later.send_log_id <> ${exceptSendLogId ?? 0})`);

/** Why a company gets no follow-up. */
export type FollowUpReason = Extract<SkipReason, 'not_followable' | 'other_person'>;

interface FollowUpScope extends GroupScope {
  readonly sendTo: SendTo;
  /** A run whose own mails do not count as later ones. */
  readonly exceptSendLogId?: number;
}

/** The mail `first` went to the person who is mailed now, or both to the company. */
const isToChosen = (sendTo: SendTo, accountId: number): Expression<SqlBool> =>
  sendTo === 'company'
    ? sql`first.person_id IS NULL`
    : sql`first.person_id IS NOT DISTINCT FROM (
        SELECT ${chosenPersonId(sendTo, 'followed')} FROM prospect AS followed
        WHERE followed.account_id = ${accountId} AND followed.id = first.prospect_id)`;

export const followableIds = (scope: FollowUpScope, runId: number): ProspectIds =>
  followableMails(scope, runId).select('first.prospect_id') as never;

/** Selects the companies of a run that replied after its acceptance, whether or not the reply was handled. */
export const answeredSince = (
  { accountId }: Pick<GroupScope, 'accountId'>,
  runId: number | Expression<unknown>,
): ProspectIds =>
  eb
    .selectFrom('delivery as followed')
    .innerJoin('reply', (join) =>
      join
        .onRef('reply.account_id', '=', 'followed.account_id')
        .onRef('reply.prospect_id', '=', 'followed.prospect_id'),
    )
    .select('reply.prospect_id')
    .where('followed.account_id', '=', accountId)
    .where('followed.send_log_id', '=', runId as number)
    .where('reply.kind', '<>', 'auto_reply')
    .where(
      'reply.at',
      '>=',
      sql<Date>`(SELECT sent_at FROM send_log WHERE account_id = ${accountId} AND id = ${runId})`,
    ) as never;

/**
 * Returns why a claimed follow-up (row `d` of `delivery`) may no longer be sent, or NULL. Its company is the row
 * `prospect`.
 */
export const followUpReason = (to: To): Expression<BlockReason | FollowUpReason | null> => sql`
  CASE WHEN d.follows_id IS NULL THEN NULL
    WHEN EXISTS (
      SELECT FROM reply WHERE reply.account_id = d.account_id AND reply.prospect_id = d.prospect_id
        AND reply.kind <> 'auto_reply' AND reply.at >= d.created_at) THEN 'replied'
    ELSE nullif(coalesce((
      SELECT CASE WHEN first.person_id IS DISTINCT FROM ${chosenPersonId(to)} THEN 'other_person' ELSE '' END
      FROM delivery AS first
      WHERE first.account_id = d.account_id AND first.id = d.follows_id AND first.state = 'sent'
        AND first.erased_hash IS NULL), 'not_followable'), '') END`;

/** Returns where an order's mails go: where it says, else as those of the run that it follows up. */
export async function readSendTo(
  tx: Tx,
  accountId: number,
  { sendTo, followUpOf }: { readonly sendTo?: SendTo | undefined; readonly followUpOf?: number | undefined },
): Promise<SendTo> {
  if (sendTo !== undefined || followUpOf === undefined) return sendTo ?? 'company';
  const { rows } = await sql<{ readonly send_to: SendTo }>`
    SELECT send_to FROM send_log WHERE account_id = ${accountId} AND id = ${followUpOf}`.execute(tx);
  return rows[0]?.send_to ?? 'company';
}

/** Checks whether the runs that targets follow up belong to their sender group. */
export async function ownsFollowedRuns(
  tx: Tx,
  { accountId, senderGroupId }: GroupScope,
  targets: readonly { readonly followUpOf?: number | undefined }[],
): Promise<boolean> {
  const runs = [...new Set(targets.flatMap(({ followUpOf }) => followUpOf ?? []))];
  if (runs.length === 0) return true;
  const { count } = await tx
    .selectFrom('send_log')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('sender_group_id', '=', senderGroupId)
    .where('id', '=', sql<number>`any(${runs}::bigint[])`)
    .executeTakeFirstOrThrow();
  return count === runs.length;
}

const RUNS_MAX = 50;

/**
 * Reads the latest runs that can be followed up: real runs of active groups with a sent first mail.
 * @param now epoch milliseconds
 */
export async function readFollowUpRuns(
  account: AccountDb,
  { sender_group_id, send_log_id, days_from_lastday }: z.output<(typeof listCall)['query']>,
  now: number,
): Promise<CallAnswer<typeof listCall>> {
  const only = (column: string, id: number | undefined) =>
    id === undefined ? sql`` : sql`AND log.${sql.ref(column)} = ${id}::bigint`;
  const { rows } = await account.snapshot((tx) =>
    sql<{ id: number; sender_group_id: number; sent_at: Date; subject: string }>`
      SELECT log.id, log.sender_group_id, log.sent_at, log.mail ->> 'subject' AS subject
      FROM send_log AS log
      JOIN sender_group ON sender_group.account_id = log.account_id AND sender_group.id = log.sender_group_id
      WHERE log.account_id = ${account.id} ${only('sender_group_id', sender_group_id)} ${only('id', send_log_id)}
        AND NOT log.test_send_mode AND log.sender_id IS NOT NULL
        AND log.blanked_at IS NULL AND sender_group.account_id = ${account.id}
        AND sender_group.active AND log.sent_at <= ${new Date(now - days_from_lastday * DAY_MS)} AND EXISTS (
          SELECT FROM delivery
          WHERE delivery.account_id = log.account_id AND delivery.send_log_id = log.id AND delivery.state = 'sent'
            AND delivery.blanked_at IS NULL AND delivery.follows_id IS NULL)
      ORDER BY log.id DESC LIMIT ${RUNS_MAX}`.execute(tx),
  );
  return { rows: rows.map((row) => ({ ...row, sent_at: formatSecond(row.sent_at.getTime()) })) };
}
