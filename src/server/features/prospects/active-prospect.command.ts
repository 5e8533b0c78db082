import { sql } from 'kysely';
import type { Db } from '../../platform/db.ts';
import { notFound, type Refusal } from '../../platform/refusal.ts';

interface Flags {
  readonly active?: 0 | 1 | undefined;
  readonly remarks?: string | undefined;
}

/**
 * Saves the active flag and the remarks that a sender group has for a prospect.
 * A new row gets the fields of `add` (by default active, without remarks); an existing row those of `update`, and keeps
 * the others. A prospect or group of another account is refused as not found.
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
    // ON CONFLICT locks the row that it updates, which sets its xmax; an inserted row has none.
    .returning(sql<boolean>`active_prospect.xmax = 0`.as('added'))
    .executeTakeFirst();
  if (!saved) return notFound();
  return saved.added ? 'added' : 'updated';
}
