import type { CallAnswer } from '#contract/call.ts';
import type { getAccountRule } from '#contract/sending-rules.ts';
import { UNDO_SECONDS } from '#domain/limits.ts';
import type { Tx } from '../../platform/database/db.ts';

export type AccountRule = CallAnswer<typeof getAccountRule>;

/** The rules of an account that has chosen none. */
const DEFAULTS: AccountRule = { undo_seconds: UNDO_SECONDS[0], per_day: null };

/** Reads the rules of an account's sending. */
export async function readAccountRule(tx: Tx, accountId: number): Promise<AccountRule> {
  const row = await tx
    .selectFrom('account_rule')
    .select(['undo_seconds', 'per_day'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  // The cast is safe: a CHECK has the same choices.
  return (row as AccountRule | undefined) ?? DEFAULTS;
}
