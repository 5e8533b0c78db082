import { type InferResult, sql } from 'kysely';
import type { z } from 'zod';
import type { listSenderProfiles } from '#contract/senders/sender-profiles.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { byKey, countRows, ownRows, pageOf, pickColumns } from '../../platform/database/list-rows.ts';
import { FROM_OF_PROFILE, maySendFrom } from '../sender-addresses/may-send-from.queries.ts';
import { confirmationSentAt, type Person, secondOrNull } from './sender.queries.ts';

/** Selects profiles with group, limit, confirmation and templates. The caller adds the account's condition. */
export const selectProfiles = (tx: Tx) =>
  tx
    .selectFrom('sender_profile')
    .innerJoin('sender_group', byKey('sender_group', 'sender_profile.sender_group_id'))
    .leftJoin('sender_throttle', (join) =>
      join
        .onRef('sender_throttle.account_id', '=', 'sender_profile.account_id')
        .onRef('sender_throttle.profile_id', '=', 'sender_profile.id'),
    )
    .leftJoin('confirmed_address', (join) =>
      join
        .onRef('confirmed_address.account_id', '=', 'sender_profile.account_id')
        .on('confirmed_address.address_key', '=', sql<string>`lower(sender_profile.email COLLATE "C")`),
    )
    .select([
      'sender_profile.id',
      'sender_profile.sender_group_id',
      'sender_group.group_name as group',
      'sender_profile.person_in_charge',
      'sender_profile.email',
      'sender_profile.bcc',
      'sender_profile.reply_to',
      'sender_profile.signature',
      'sender_profile.active',
      'sender_profile.mailbox_id',
      'sender_throttle.chosen_per_minute',
      'sender_throttle.mails_per_minute as operator_per_minute',
    ])
    .select(maySendFrom(FROM_OF_PROFILE).as('is_confirmed'))
    .select(
      sql<number[]>`(SELECT coalesce(jsonb_agg(DISTINCT template_id ORDER BY template_id), '[]') FROM sender
        WHERE sender.account_id = sender_profile.account_id AND sender.profile_id = sender_profile.id
          AND sender.active)`.as('template_ids'),
    );

type StoredProfile = InferResult<ReturnType<typeof selectProfiles>>[number];

/** Reads a profile of the account, with who last changed it or one of its senders. */
export const readProfile = (tx: Tx, accountId: number, id: number) =>
  selectProfiles(tx)
    .leftJoin('member', byKey('member', 'sender_profile.member_id'))
    .select(['sender_profile.updated_at', 'member.name as updated_by'])
    .where(ownRows('sender_profile', accountId, { id }))
    .executeTakeFirstOrThrow();

/** The editable fields of a profile. */
export interface ProfileContent extends Person {
  readonly active: boolean;
  /** null: the mail server of the environment. */
  readonly mailbox_id: number | null;
  /** Sorted by id. */
  readonly template_ids: readonly number[];
}

export const profileContent = (profile: StoredProfile): ProfileContent => ({
  person_in_charge: profile.person_in_charge,
  email: profile.email,
  reply_to: profile.reply_to,
  bcc: profile.bcc,
  signature: profile.signature,
  mails_per_minute: profile.chosen_per_minute,
  active: profile.active,
  mailbox_id: profile.mailbox_id,
  template_ids: profile.template_ids,
});

/** Returns the version hash of a profile with its templates. Changes must keep the field order of profileContent. */
export const profileVersion = (content: ProfileContent): string => contentVersion(Object.values(content));

type Query = z.output<(typeof listSenderProfiles)['query']>;

/** Lists the profiles of an account by id. */
export const listProfileRows = (account: AccountDb, { where_info, columns, ...window }: Query, now: number) =>
  account.snapshot(async (tx) => {
    const own = ownRows('sender_profile', account.id, where_info);
    const found = await selectProfiles(tx)
      .select(confirmationSentAt(now))
      // A profile always has a sender.
      .select(({ selectFrom }) =>
        selectFrom('sender')
          .select(({ fn }) => fn.min<number>('sender.id').as('first'))
          .whereRef('sender.account_id', '=', 'sender_profile.account_id')
          .whereRef('sender.profile_id', '=', 'sender_profile.id')
          .$asScalar()
          .$notNull()
          .as('sender_id'),
      )
      .where(own)
      .orderBy('sender_profile.id')
      .limit(window.limit)
      .offset(window.offset)
      .execute();
    const rows = found.map((profile) => {
      const { chosen_per_minute, operator_per_minute, confirmation_sent_at, ...row } = profile;
      return pickColumns(
        {
          ...row,
          active: asFlag(row.active),
          mails_per_minute: chosen_per_minute,
          max_mails_per_minute: operator_per_minute,
          is_confirmed: asFlag(row.is_confirmed),
          confirmation_sent_at: secondOrNull(confirmation_sent_at),
          version: profileVersion(profileContent(profile)),
        },
        columns,
      );
    });
    return pageOf(rows, window, () => countRows(tx, 'sender_profile', own));
  });
