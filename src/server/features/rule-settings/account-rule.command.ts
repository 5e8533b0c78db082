import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { updateAccountRule as updateCall } from '#contract/senders/sending-rules.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { requeueUnsent } from '../delivery/quota/sender-pace.command.ts';
import { bringForward, lockThrottles } from './release.queries.ts';

type Changes = z.output<(typeof updateCall)['body']>['update_info'];

/** Changes the given rules of an account. A running undo window keeps its length; limits apply to waiting mails. */
export const updateAccountRule = (
  { id: accountId, memberId, transaction }: MemberDb,
  changes: Changes,
): Promise<CallAnswer<typeof updateCall>> =>
  transaction(async (tx) => {
    if (changes.per_day !== undefined) await releaseMails(tx, accountId);
    const { across_groups, ...others } = changes;
    const columns = { ...others, ...(across_groups !== undefined && { across_groups: across_groups === 1 }) };
    await tx
      .insertInto('account_rule')
      .values({ account_id: accountId, ...columns })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(columns))
      .execute();
    await recordAudit(tx, { accountId, memberId, kind: 'account_rule_changed', detail: changes });
    return { status: 'updated' };
  });

/** Applies a new limit of the day to claimed mails before their mark, and releases mails that wait for another day. */
async function releaseMails(tx: Tx, accountId: number): Promise<void> {
  for (const profile of await lockThrottles(tx, accountId)) await requeueUnsent(tx, profile);
  await bringForward(tx, accountId, 'limit', sql<SqlBool>`true`);
}
