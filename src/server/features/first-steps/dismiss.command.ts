import { sql } from 'kysely';
import type { updateFirstSteps } from '#contract/account/first-steps.ts';
import type { CallAnswer } from '#contract/call.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { recordAudit } from '../audit/record-audit.ts';

/** Hides the first-steps bar for one member, or shows it again. A repeated change writes nothing. */
export const dismissFirstSteps = (
  { id: accountId, memberId, transaction }: MemberDb,
  dismissed: boolean,
): Promise<CallAnswer<typeof updateFirstSteps>> =>
  transaction(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('member')
      .set({ first_steps_dismissed_at: dismissed ? sql<Date>`now()` : null })
      .where('account_id', '=', accountId)
      .where('id', '=', memberId)
      .where('first_steps_dismissed_at', dismissed ? 'is' : 'is not', null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) {
      await recordAudit(tx, { accountId, memberId, kind: 'first_steps_dismissed', detail: { dismissed } });
    }
    return { status: 'updated' };
  });
