import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { updateLegalProfile } from '#contract/senders/legal-profile.ts';
import { BLANK_PROFILE, LEGAL_FIELDS, type LegalProfile } from '#domain/law/profile.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile, isStale } from '../../platform/database/content-version.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { hasRow } from '../../platform/database/list-rows.ts';
import { notFound, type Problem } from '../../platform/problem.ts';
import { withoutUndefined } from '../../platform/without-undefined.ts';
import { recordAudit } from '../audit/record-audit.ts';
import {
  lastProfileSave,
  loadLegalProfile,
  loadPlaces,
  profileState,
  profileVersion,
  versioned,
} from './legal-profile.queries.ts';

/**
 * Inserts a new sender group's profile, in the caller's transaction.
 * @param confirmedAt null: a person must confirm it before real mails are sent
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

type Body = z.output<(typeof updateLegalProfile)['body']>;

/**
 * Changes the given fields of a group's profile, and confirms its content, unless it has changed since `version`.
 * A change without `confirmed` ends an earlier confirmation. A repeated change writes nothing.
 * @returns whether real mails may be sent now, with the remaining faults; 404; or 409
 */
export function updateProfile(
  { id: accountId, memberId, transaction }: MemberDb,
  senderGroupId: number,
  { version, update_info: { confirmed, ...given } }: Body,
  publicUrl: string,
): Promise<CallAnswer<typeof updateLegalProfile> | Problem> {
  return transaction(async (tx) => {
    // Locks the group as an order does, so that an order sees the profile before or after the change.
    const isOwn = await hasRow(tx, 'sender_group', { accountId, id: senderGroupId }, 'FOR NO KEY UPDATE');
    if (!isOwn) return notFound();
    const stored = await loadLegalProfile(tx, accountId, senderGroupId);
    const before = stored?.profile ?? BLANK_PROFILE;
    const wasConfirmed = stored?.isConfirmed ?? false;
    const profile: LegalProfile = { ...before, ...withoutUndefined(given) };
    const fields = LEGAL_FIELDS.filter((name) => profile[name] !== before[name]);
    const isConfirmed = confirmed === undefined ? wasConfirmed && fields.length === 0 : confirmed === 1;
    if (fields.length > 0 || isConfirmed !== wasConfirmed) {
      if (isStale(version, versioned(before, wasConfirmed))) {
        const last = await lastProfileSave(tx, accountId, senderGroupId);
        return changedMeanwhile('legal_profile_changed', { ...last, what: '法定表示を' });
      }
      await write(tx, { accountId, memberId, senderGroupId }, profile, isConfirmed);
      const detail = { sender_group_id: senderGroupId, fields, confirmed: isConfirmed };
      await recordAudit(tx, { accountId, memberId, kind: 'legal_profile_changed', detail });
    }
    const placeOf = await loadPlaces(tx, accountId, publicUrl);
    const state = profileState(profile, isConfirmed, publicUrl, placeOf(senderGroupId, profile));
    return { status: 'updated', version: profileVersion(profile, isConfirmed), ...state };
  });
}

interface Key {
  readonly accountId: number;
  readonly memberId: number;
  readonly senderGroupId: number;
}

async function write(
  tx: Tx,
  { accountId, memberId, senderGroupId }: Key,
  profile: LegalProfile,
  isConfirmed: boolean,
): Promise<void> {
  const values = {
    ...profile,
    confirmed_at: isConfirmed ? sql<Date>`now()` : null,
    confirmed_by: isConfirmed ? memberId : null,
    member_id: memberId,
    updated_at: sql<Date>`now()`,
  };
  await tx
    .insertInto('legal_profile')
    .values({ account_id: accountId, sender_group_id: senderGroupId, ...values })
    .onConflict((conflict) => conflict.columns(['account_id', 'sender_group_id']).doUpdateSet(values))
    .execute();
}
