import { type AliasedRawBuilder, type InferResult, sql } from 'kysely';
import type { z } from 'zod';
import { listSenders as listCall } from '#contract/senders/senders.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { byKey, countRows, ownRows, pickColumns, wantsColumn } from '../../platform/database/list-rows.ts';
import { answerList, type Part } from '../../platform/lists/whole-list.ts';
import { FROM_OF_PROFILE, maySendFrom } from '../sender-addresses/may-send-from.queries.ts';

/** Selects senders with person, group, template, limit and confirmation. The caller adds the account's condition. */
const selectSenders = (tx: Tx) =>
  tx
    .selectFrom('sender')
    .innerJoin('sender_profile', byKey('sender_profile', 'sender.profile_id'))
    .innerJoin('sender_group', byKey('sender_group', 'sender.sender_group_id'))
    .innerJoin('mail_template', byKey('mail_template', 'sender.template_id'))
    .leftJoin('sender_throttle', (join) =>
      join
        .onRef('sender_throttle.account_id', '=', 'sender.account_id')
        .onRef('sender_throttle.profile_id', '=', 'sender.profile_id'),
    )
    .leftJoin('confirmed_address', (join) =>
      join
        .onRef('confirmed_address.account_id', '=', 'sender.account_id')
        .on('confirmed_address.address_key', '=', sql<string>`lower(sender_profile.email COLLATE "C")`),
    )
    .select([
      'sender.id',
      'sender.sender_group_id',
      'sender.subject as own_subject',
      'sender_profile.person_in_charge',
      'sender_profile.email',
      'sender_profile.bcc',
      'sender.template_id',
      'mail_template.sendgrid_template_id',
      'sender.active',
      'sender_group.group_name as group',
      'sender_profile.reply_to',
      'sender.profile_id',
      'mail_template.name as template_name',
      'sender_throttle.chosen_per_minute',
      'confirmed_address.confirmed_at',
    ])
    .select(maySendFrom(FROM_OF_PROFILE).as('is_confirmed'))
    .select(({ fn }) => fn.coalesce('sender.subject', 'mail_template.subject').as('subject'));

/**
 * Selects when the last link that can still confirm a sender's address was mailed; null: none, or already confirmed.
 * Any sender's link confirms an address for its whole account.
 */
export const confirmationSentAt = (now: number): AliasedRawBuilder<Date | null, 'confirmation_sent_at'> =>
  sql<Date | null>`CASE WHEN confirmed_address.confirmed_at IS NULL THEN (
    SELECT max(mailed.sent_at) FROM sender_confirmation AS mailed
    WHERE mailed.account_id = sender_profile.account_id AND mailed.expires_at > ${new Date(now)}
      AND lower(mailed.email COLLATE "C") = lower(sender_profile.email COLLATE "C")) END`.as('confirmation_sent_at');

export const secondOrNull = (instant: Date | null): string | null =>
  instant === null ? null : formatSecond(instant.getTime());

/** Selects a sender of the account with all fields of its form. */
export const selectSenderDetail = (tx: Tx, accountId: number, id: number) =>
  selectSenders(tx)
    .leftJoin('member', byKey('member', 'sender.member_id'))
    .select([
      'sender_profile.signature',
      'sender.updated_at',
      'member.name as updated_by',
      'sender_throttle.mails_per_minute as operator_per_minute',
    ])
    .where('sender.account_id', '=', accountId)
    .where('sender.id', '=', id);

export type SenderDetail = InferResult<ReturnType<typeof selectSenderDetail>>[number];

/** The editable fields of a person, shared by all senders of a profile. */
export interface Person {
  readonly person_in_charge: string;
  readonly email: string;
  readonly reply_to: string | null;
  readonly bcc: string | null;
  readonly signature: string;
  readonly mails_per_minute: number | null;
}

/** A sender's own fields. */
export interface OwnContent {
  readonly template_id: number;
  /** null: the template's subject. */
  readonly subject: string | null;
  readonly active: boolean;
}

/** The editable fields of a sender, besides its group. */
export type SenderContent = Person & OwnContent;

export const contentOf = (sender: SenderDetail): SenderContent => ({
  person_in_charge: sender.person_in_charge,
  email: sender.email,
  reply_to: sender.reply_to,
  bcc: sender.bcc,
  template_id: sender.template_id,
  subject: sender.own_subject,
  signature: sender.signature,
  mails_per_minute: sender.chosen_per_minute,
  active: sender.active,
});

/** Returns the version hash of a sender's content. The field order of contentOf matters: changes must keep it. */
export const senderVersion = (content: SenderContent): string => contentVersion(Object.values(content));

/** When a sender's last run, including tests, was accepted. Uses send_log_sender_idx. */
const lastUsedAt = sql<Date | null>`(
  SELECT sent_at FROM send_log
  WHERE send_log.account_id = sender.account_id AND send_log.sender_id = sender.id
  ORDER BY sent_at DESC LIMIT 1)`.as('last_used_at');

/** Counts the other active senders of a sender's profile. */
export const countSharing = (tx: Tx, accountId: number, { id, profileId }: { id: number; profileId: number }) =>
  countRows(
    tx,
    'sender',
    sql`${ownRows('sender', accountId, { profile_id: profileId, active: true })} AND id <> ${id}`,
  );

type Query = z.output<(typeof listCall)['query']>;

/** Lists the senders of an account by id. */
export const listSenderRows = (account: AccountDb, query: Query, now: number) => {
  const { columns } = query;
  const order = sql`sender.id`;
  const read = async (tx: Tx, { where, limit, offset }: Part) => {
    const found = await selectSenders(tx)
      .select(confirmationSentAt(now))
      .$if(wantsColumn(columns, 'last_used_at'), (rows) => rows.select(lastUsedAt))
      .where(where)
      .orderBy(order)
      .limit(limit)
      .offset(offset)
      .execute();
    return found.map(({ confirmed_at: _confirmedAt, confirmation_sent_at, chosen_per_minute, last_used_at, ...row }) =>
      pickColumns(
        {
          ...row,
          active: asFlag(row.active),
          is_confirmed: asFlag(row.is_confirmed),
          confirmation_sent_at: secondOrNull(confirmation_sent_at),
          mails_per_minute: chosen_per_minute,
          last_used_at: secondOrNull(last_used_at ?? null),
        },
        columns,
      ),
    );
  };
  const own = ownRows('sender', account.id, query.where_info);
  return answerList(account, listCall, { table: 'sender', own, order, query, read, view: null });
};
