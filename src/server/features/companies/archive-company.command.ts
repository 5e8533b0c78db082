import { sql } from 'kysely';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { notFound, type Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { recordChange } from './change-log.ts';
import { loadCompany } from './company.queries.ts';

/** Archives a company or brings it back. A company that is in that state already stays as it is. @returns 404 */
export function setArchived(
  account: MemberDb,
  id: number,
  archived: boolean,
): Promise<{ status: 'updated'; id: number } | Problem> {
  const { id: accountId, memberId } = account;
  return account.transaction(async (tx) => {
    const stored = await loadCompany(tx, accountId, id, { lock: true });
    if (!stored) return notFound();
    if ((stored.archived_at !== null) === archived) return { status: 'updated', id };
    await tx
      .updateTable('prospect')
      .set({ archived_at: archived ? sql<Date>`now()` : null })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute();
    const kind = archived ? 'archived' : 'restored';
    await recordChange(tx, { accountId, memberId, prospectId: id, kind });
    await recordAudit(tx, { accountId, memberId, kind: `company_${kind}`, detail: { prospect_id: id } });
    return { status: 'updated', id };
  });
}
