import type { Db } from '../../platform/database/db.ts';

/** Whether an account is the complete demo: its password is public, and its mails stay in the mail catcher. */
export async function isDemo(db: Db, accountId: number): Promise<boolean> {
  const event = await db
    .selectFrom('audit_event')
    .select('id')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'demo_created')
    .limit(1)
    .executeTakeFirst();
  return event !== undefined;
}
