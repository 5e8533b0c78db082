import { sql } from 'kysely';
import type { Db } from '../../platform/db.ts';
import { notFound, type Refusal } from '../../platform/refusal.ts';

interface Flags {
  readonly active?: 0 | 1 | undefined;
  readonly remarks?: string | undefined;
}

/**
 * Writes what a sender group keeps of a prospect: `add` where there is no row yet, `update` where there is one; a field left
 * out stays (or is active, without remarks). A prospect or group that is not the account's is refused as not found.
 * @param now epoch milliseconds
 */
export async function saveActiveProspect(
  db: Db,
  target: { accountId: number; senderGroupId: number; prospectId: number },
  { add, update }: { add: Flags; update: Flags },
  now: number,
): Promise<'added' | 'updated' | Refusal> {
  const updated_at = new Date(now);
  const saved = await db
    .insertInto('active_prospect')
    .columns(['account_id', 'sender_group_id', 'prospect_id', 'active', 'remarks', 'updated_at'])
    .expression((eb) =>
      eb
        .selectFrom('prospect')
        .innerJoin('sender_group', 'sender_group.account_id', 'prospect.account_id')
        .select([
          'prospect.account_id',
          'sender_group.id as sender_group_id',
          'prospect.id as prospect_id',
          sql<boolean>`${add.active !== 0}::boolean`.as('active'),
          sql<string>`${add.remarks ?? ''}::text`.as('remarks'),
          sql<Date>`${updated_at}::timestamptz`.as('updated_at'),
        ])
        .where('prospect.account_id', '=', target.accountId)
        .where('prospect.id', '=', target.prospectId)
        .where('sender_group.id', '=', sql<number>`${target.senderGroupId}::bigint`),
    )
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'sender_group_id', 'prospect_id']).doUpdateSet({
        ...(update.active !== undefined && { active: update.active === 1 }),
        ...(update.remarks !== undefined && { remarks: update.remarks }),
        updated_at,
      }),
    )
    // A row version that no other transaction has replaced has no xmax: it is new.
    .returning(sql<boolean>`active_prospect.xmax = 0`.as('added'))
    .executeTakeFirst();
  if (!saved) return notFound();
  return saved.added ? 'added' : 'updated';
}
