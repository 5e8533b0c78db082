import type { ChangeKind } from '#contract/companies/companies.ts';
import type { Tx } from '../../platform/database/db.ts';

interface Change {
  readonly accountId: number;
  /** null: the operator. */
  readonly memberId: number | null;
  readonly prospectId: number;
  readonly kind: ChangeKind;
  /** [old, new] by field. */
  readonly changes?: Readonly<Record<string, readonly [unknown, unknown]>>;
}

/** Inserts a row of a company's history, in the transaction of the change. */
export async function recordChange(
  tx: Tx,
  { accountId, memberId, prospectId, kind, changes = {} }: Change,
): Promise<void> {
  await tx
    .insertInto('prospect_change')
    .values({
      account_id: accountId,
      member_id: memberId,
      prospect_id: prospectId,
      kind,
      changes: JSON.stringify(changes),
    })
    .execute();
}
