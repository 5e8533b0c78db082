import type { LegalProfile } from '#domain/law/profile.ts';
import type { Db } from '../../platform/database/db.ts';

/**
 * Inserts the profile of a new sender group. The caller runs it in a transaction.
 * @param confirmedAt null: a person has to confirm it before real mails leave
 */
export async function addLegalProfile(
  tx: Db,
  { accountId, senderGroupId }: { readonly accountId: number; readonly senderGroupId: number },
  profile: Partial<LegalProfile>,
  confirmedAt: Date | null,
): Promise<void> {
  await tx
    .insertInto('legal_profile')
    .values({ account_id: accountId, sender_group_id: senderGroupId, ...profile, confirmed_at: confirmedAt })
    .execute();
}
