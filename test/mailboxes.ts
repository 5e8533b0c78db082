import type { Insertable } from 'kysely';
import { sealMailbox } from '#server/features/mailboxes/mailbox.queries.ts';
import type { Db } from '#server/platform/database/db.ts';
import type { Mailbox } from '#server/platform/database/db-types.ts';
import { Problem } from '#server/platform/problem.ts';
import { testSecrets } from './secrets.ts';

/**
 * Adds a mailbox that was checked, with a password.
 * @param db of the owner or of a role that inserts mailboxes
 */
export async function addTestMailbox(
  db: Db,
  accountId: number,
  { password = 'secret of the mailbox', ...info }: Partial<Insertable<Mailbox>> & { password?: string } = {},
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { id } = await tx
      .insertInto('mailbox')
      .values({
        account_id: accountId,
        kind: 'smtp',
        name: '鈴木 彩',
        address: 'aya@haru.example',
        smtp_host: 'mail.haru.example',
        smtp_port: 587,
        security: 'starttls',
        username: 'aya',
        per_minute: 60,
        per_day: 10_000,
        state: 'ok',
        ...info,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const sealed = await sealMailbox(tx, testSecrets, { accountId, id }, { password });
    if (sealed instanceof Problem) throw new Error(sealed.message);
    await tx.updateTable('mailbox').set(sealed).where('account_id', '=', accountId).where('id', '=', id).execute();
    await tx.insertInto('mailbox_state').values({ account_id: accountId, mailbox_id: id }).execute();
    return id;
  });
}
