import type { z } from 'zod';
import type { listLegalProfiles } from '#contract/legal-profile.ts';
import { BLANK_PROFILE, LEGAL_FIELDS, type LegalProfile, profileFaults } from '#domain/law/profile.ts';
import { isPublicHttps } from '#domain/law/refusal-place.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { pickColumns } from '../../platform/database/list-columns.ts';
import { countRows, ownRows, pageOf } from '../../platform/database/list-rows.ts';
import { profileVersion } from './legal-profile.queries.ts';

type Query = z.output<(typeof listLegalProfiles)['query']>;

/** Lists the profiles of the account's groups by id, with those that nobody has filled in. */
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

/** Returns the profile of a row, whose columns are null where the group has none. */
const profileOf = (stored: { readonly [Name in keyof LegalProfile]: string | null }): LegalProfile =>
  stored.official_name === null ? BLANK_PROFILE : (stored as LegalProfile);

/** Returns whether real mails may leave with a profile, and its faults. */
export function profileState(profile: LegalProfile, isConfirmed: boolean, publicUrl: string) {
  const faults = profileFaults(profile, isConfirmed, publicUrl);
  return { ready: asFlag(faults.every(({ level }) => level === 'warning')), faults };
}
