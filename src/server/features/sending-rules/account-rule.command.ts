import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { updateAccountRule as updateCall } from '#contract/sending-rules.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { bringForward } from './release.queries.ts';

type Changes = z.output<(typeof updateCall)['body']>['update_info'];

/** Changes the given rules of an account. Runs that were accepted keep what they were accepted with. */
export const updateAccountRule = (
  { id: accountId, memberId, transaction }: MemberDb,
  changes: Changes,
): Promise<CallAnswer<typeof updateCall>> =>
  transaction(async (tx) => {
    await tx
      .insertInto('account_rule')
      .values({ account_id: accountId, ...changes })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(changes))
      .execute();
    // What waits for another day may leave; the next claim defers it anew if need be.
    if (changes.per_day !== undefined) await bringForward(tx, accountId, 'limit', sql<SqlBool>`true`);
    await recordAudit(tx, { accountId, memberId, kind: 'account_rule_changed', detail: changes });
    return { status: 'updated' };
  });
