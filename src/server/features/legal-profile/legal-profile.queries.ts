import type { z } from 'zod';
import type { listLegalProfiles } from '#contract/senders/legal-profile.ts';
import { BLANK_PROFILE, LEGAL_FIELDS, type LegalProfile, profileFaults } from '#domain/law/profile.ts';
import { isPublicHttps } from '#domain/law/refusal-place.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { byKey, countRows, ownRows, pageOf, pickColumns } from '../../platform/database/list-rows.ts';
import {
  listReadMailboxes,
  type MailboxSender,
  mailboxAt,
  mailboxOfSender,
  type ReadMailbox,
} from '../mailboxes/read-mailboxes.queries.ts';

/** A stored profile. `isConfirmed`: a person has confirmed its current content. */
export interface StoredProfile {
  readonly profile: LegalProfile;
  readonly isConfirmed: boolean;
}

/** Returns the version of a profile with its confirmation. */
export const profileVersion = (profile: LegalProfile, isConfirmed: boolean): string =>
  contentVersion(versioned(profile, isConfirmed));

/** The fields that the profile's version hashes. */
export const versioned = (profile: LegalProfile, isConfirmed: boolean) => [
  ...LEGAL_FIELDS.map((name) => profile[name]),
  isConfirmed,
];

/** Returns who last saved a group's profile, and when. */
export const lastProfileSave = (tx: Tx, accountId: number, senderGroupId: number) =>
  tx
    .selectFrom('legal_profile')
    .leftJoin('member', (join) =>
      join.on('member.account_id', '=', accountId).onRef('member.id', '=', 'legal_profile.member_id'),
    )
    .select(['member.name as by', 'legal_profile.updated_at as at'])
    .where('legal_profile.account_id', '=', accountId)
    .where('legal_profile.sender_group_id', '=', senderGroupId)
    .executeTakeFirst();

/** Returns a sender group's profile; undefined: not filled in. */
export const loadLegalProfile = async (
  tx: Tx,
  accountId: number,
  senderGroupId: number,
): Promise<StoredProfile | undefined> => {
  const row = await profiles(tx, accountId)
    .where('legal_profile.sender_group_id', '=', senderGroupId)
    .executeTakeFirst();
  return row && storedProfile(row);
};

/** Returns whether the profile of a group in use permits real mails. */
export async function hasReadyProfile(tx: Tx, accountId: number, publicUrl: string): Promise<boolean> {
  const rows = await profiles(tx, accountId)
    .innerJoin('sender_group', byKey('sender_group', 'legal_profile.sender_group_id'))
    .select('sender_group.id')
    .where('sender_group.active', '=', true)
    .execute();
  const placeOf = await loadPlaces(tx, accountId, publicUrl);
  return rows.some(({ id, ...row }) => {
    const { profile, isConfirmed } = storedProfile(row);
    return profileState(profile, isConfirmed, publicUrl, placeOf(id, profile)).ready === 1;
  });
}

const profiles = (tx: Tx, accountId: number) =>
  tx
    .selectFrom('legal_profile')
    .select(LEGAL_FIELDS.map((column) => `legal_profile.${column}` as const))
    .select('legal_profile.confirmed_at')
    .where('legal_profile.account_id', '=', accountId);

function storedProfile({
  confirmed_at,
  ...profile
}: Record<keyof LegalProfile, string> & { readonly confirmed_at: Date | null }): StoredProfile {
  // The column's CHECK allows only these values.
  return { profile: { ...profile, basis: profile.basis as LegalProfile['basis'] }, isConfirmed: confirmed_at !== null };
}

type Query = z.output<(typeof listLegalProfiles)['query']>;

/** Lists the profiles of the account's groups by id, including those not filled in. */
export const listProfiles = (account: AccountDb, { where_info, columns, ...window }: Query, publicUrl: string) =>
  account.snapshot(async (tx) => {
    const own = ownRows('sender_group', account.id, { id: where_info?.sender_group_id });
    const found = await tx
      .selectFrom('sender_group')
      .leftJoin('legal_profile', (join) =>
        join
          .on('legal_profile.account_id', '=', account.id)
          .onRef('legal_profile.sender_group_id', '=', 'sender_group.id'),
      )
      .leftJoin('member', (join) =>
        join.on('member.account_id', '=', account.id).onRef('member.id', '=', 'legal_profile.confirmed_by'),
      )
      .select(['sender_group.id as sender_group_id', 'sender_group.group_name', 'sender_group.active'])
      .select(LEGAL_FIELDS.map((column) => `legal_profile.${column}` as const))
      .select(['legal_profile.confirmed_at', 'member.name as confirmed_by'])
      .where(own)
      .orderBy('sender_group.id')
      .limit(window.limit)
      .offset(window.offset)
      .execute();
    const placeOf = await loadPlaces(tx, account.id, publicUrl);
    const rows = found.map(({ sender_group_id, group_name, active, confirmed_at, confirmed_by, ...stored }) => {
      const profile = profileOf(stored);
      const place = placeOf(sender_group_id, profile);
      return pickColumns(
        {
          sender_group_id,
          group_name,
          active: asFlag(active),
          ...profile,
          confirmed: asFlag(confirmed_at !== null),
          confirmed_at: confirmed_at && formatSecond(confirmed_at.getTime()),
          confirmed_by,
          has_public_url: asFlag(isPublicHttps(publicUrl)),
          refusal_mailbox: placeOf(sender_group_id, { ...profile, refusal_email: '' })?.address ?? null,
          version: profileVersion(profile, confirmed_at !== null),
          ...profileState(profile, confirmed_at !== null, publicUrl, place),
        },
        columns,
      );
    });
    return pageOf(rows, window, () => countRows(tx, 'sender_group', own));
  });

/** Returns the profile of a row, whose columns are null if the group has none. */
const profileOf = (stored: { readonly [Name in keyof LegalProfile]: string | null }): LegalProfile =>
  stored.official_name === null ? BLANK_PROFILE : (stored as LegalProfile);

/** Returns whether a profile permits real mails, and its faults. @param place the read mailbox of refusals */
export function profileState(profile: LegalProfile, isConfirmed: boolean, publicUrl: string, place?: ReadMailbox) {
  const faults = profileFaults(profile, isConfirmed, publicUrl, place !== undefined);
  return { ready: asFlag(faults.every(({ level }) => level === 'warning')), faults };
}

/** Returns the read mailbox that a sender's mails name for refusals: of the address in the profile, or its own. */
export const placeMailbox = (
  mailboxes: readonly ReadMailbox[],
  { refusal_email }: LegalProfile,
  sender: MailboxSender,
): ReadMailbox | undefined =>
  refusal_email === '' ? mailboxOfSender(mailboxes, sender) : mailboxAt(mailboxes, refusal_email);

/**
 * Returns a function that finds the read mailbox for refusals of a group's mails.
 * Where the profile names no address, each active sender of the group must have such a mailbox; the first one counts.
 */
export async function loadPlaces(
  tx: Tx,
  accountId: number,
  publicUrl: string,
): Promise<(senderGroupId: number, profile: LegalProfile) => ReadMailbox | undefined> {
  const mailboxes = isPublicHttps(publicUrl) ? [] : await listReadMailboxes(tx, accountId);
  if (mailboxes.length === 0) return () => undefined;
  const senders = await tx
    .selectFrom('sender')
    .innerJoin('sender_profile', byKey('sender_profile', 'sender.profile_id'))
    .select(['sender.sender_group_id', 'sender_profile.mailbox_id', 'sender_profile.email'])
    .distinct()
    .where('sender.account_id', '=', accountId)
    .where('sender.active', '=', true)
    .execute();
  const byGroup = Map.groupBy(senders, ({ sender_group_id }) => sender_group_id);
  return (senderGroupId, profile) => {
    if (profile.refusal_email !== '') return mailboxAt(mailboxes, profile.refusal_email);
    const places = (byGroup.get(senderGroupId) ?? []).map((sender) => mailboxOfSender(mailboxes, sender));
    if (places.length === 0) return mailboxes[0];
    return places.includes(undefined) ? undefined : places[0];
  };
}
