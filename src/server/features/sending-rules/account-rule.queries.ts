import type { CallAnswer } from '#contract/call.ts';
import type { getAccountRule } from '#contract/senders/sending-rules.ts';
import { UNDO_SECONDS } from '#domain/limits.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { Db } from '../../platform/database/db.ts';

export type AccountRule = CallAnswer<typeof getAccountRule>;

/** The rules of an account that has not set any. */
const DEFAULTS: AccountRule = {
  undo_seconds: UNDO_SECONDS[0],
  per_day: null,
  per_domain: 0,
  across_groups: 0,
  export_needs_admin: 0,
  two_factor_required: 0,
  password_off: 0,
};

/** Reads an account's sending rules. */
export async function readAccountRule(db: Db, accountId: number): Promise<AccountRule> {
  const row = await db
    .selectFrom('account_rule')
    .select(['undo_seconds', 'per_day', 'per_domain', 'across_groups', 'export_needs_admin', 'two_factor_required'])
    .select('password_off')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  // The cast is safe: a CHECK has the same choices.
  if (!row) return DEFAULTS;
  const flags = {
    across_groups: asFlag(row.across_groups),
    export_needs_admin: asFlag(row.export_needs_admin),
    two_factor_required: asFlag(row.two_factor_required),
    password_off: asFlag(row.password_off),
  };
  return { ...row, ...flags } as AccountRule;
}
