import { LEGAL_FIELDS, type LegalProfile } from '#domain/law/profile.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { byKey } from '../../platform/database/list-rows.ts';

/** A stored profile. `isConfirmed`: a person has confirmed its present content. */
export interface StoredProfile {
  readonly profile: LegalProfile;
  readonly isConfirmed: boolean;
}

/** Returns the version of a profile and of its confirmation, which is one of this content. */
export const profileVersion = (profile: LegalProfile, isConfirmed: boolean): string =>
  contentVersion(versioned(profile, isConfirmed));

/** What the version of a profile hashes. */
export const versioned = (profile: LegalProfile, isConfirmed: boolean) => [
  ...LEGAL_FIELDS.map((name) => profile[name]),
  isConfirmed,
];

/** Returns who saved the profile of a group last, and when. */
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

/** Returns the profile of a sender group; undefined: nothing is filled in. */
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
  // The CHECK of the column allows these alone.
  return { profile: { ...profile, basis: profile.basis as LegalProfile['basis'] }, isConfirmed: confirmed_at !== null };
}
