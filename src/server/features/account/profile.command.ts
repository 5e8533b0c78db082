import type { MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile, isStale } from '../../platform/database/content-version.ts';
import type { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';

/** Name and company in the form of parseName. */
interface Profile {
  readonly name?: string | undefined;
  readonly company?: string | undefined;
  /** The version of the company that the caller has read. */
  readonly version: string | undefined;
}

/**
 * Changes the caller's name and the account's company, where given.
 * @returns 409 for a company that has changed since `version`
 */
export function updateProfile(
  account: MemberDb,
  { name, company, version }: Profile,
  now: number,
): Promise<Problem | null> {
  const { id: accountId, memberId } = account;
  const updated_at = new Date(now);
  return account.transaction(async (tx) => {
    if (name !== undefined) {
      await tx
        .updateTable('member')
        .set({ name, updated_at })
        .where('account_id', '=', accountId)
        .where('id', '=', memberId)
        .execute();
    }
    if (company !== undefined) {
      const stored = await tx
        .selectFrom('account')
        .select('company')
        .where('id', '=', accountId)
        .forNoKeyUpdate()
        .executeTakeFirstOrThrow();
      if (stored.company !== company && isStale(version, stored.company)) {
        return changedMeanwhile('account_changed', { what: '会社名を', path: 'update_info.company' });
      }
      await tx.updateTable('account').set({ company, updated_at }).where('id', '=', accountId).execute();
    }
    await recordAudit(tx, { accountId, memberId, kind: 'profile_changed', detail: { name, company } });
    return null;
  });
}
