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

/** Returns the profiles of the groups in use. */
export async function loadLegalProfiles(tx: Tx, accountId: number): Promise<StoredProfile[]> {
  const rows = await profiles(tx, accountId)
    .innerJoin('sender_group', byKey('sender_group', 'legal_profile.sender_group_id'))
    .where('sender_group.active', '=', true)
    .execute();
  return rows.map(storedProfile);
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
    const rows = found.map(({ sender_group_id, group_name, active, confirmed_at, confirmed_by, ...stored }) => {
      const profile = profileOf(stored);
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
          version: profileVersion(profile, confirmed_at !== null),
          ...profileState(profile, confirmed_at !== null, publicUrl),
        },
        columns,
      );
    });
    return pageOf(rows, window, () => countRows(tx, 'sender_group', own));
  });

/** Returns the profile of a row, whose columns are null if the group has none. */
const profileOf = (stored: { readonly [Name in keyof LegalProfile]: string | null }): LegalProfile =>
  stored.official_name === null ? BLANK_PROFILE : (stored as LegalProfile);

/** Returns whether real mails may be sent with a profile, and its faults. */
export function profileState(profile: LegalProfile, isConfirmed: boolean, publicUrl: string) {
  const faults = profileFaults(profile, isConfirmed, publicUrl);
  return { ready: asFlag(faults.every(({ level }) => level === 'warning')), faults };
}
