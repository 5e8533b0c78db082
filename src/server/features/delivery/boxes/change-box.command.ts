import { sql } from 'kysely';
import type { Tx } from '../../../platform/database/db.ts';
import type { MailboxKey } from '../../mailboxes/mailbox.queries.ts';
import { lockBox, noteProfileMails } from '../../mailboxes/mailbox-state.command.ts';
import { requeueUnsent, requeueUnsentOf } from '../quota/sender-pace.command.ts';

/**
 * Requeues the claimed, unsent mails of a mailbox that the caller changes and has locked (lockBox): no mail leaves by
 * what it was before. Mails being sent now end as they began.
 */
export const requeueBoxMails = (tx: Tx, { accountId, id }: MailboxKey): Promise<void> =>
  requeueUnsentOf(
    tx,
    accountId,
    sql`
    ARRAY(SELECT profile.id FROM sender_profile AS profile
      WHERE profile.account_id = ${accountId} AND profile.mailbox_id = ${id})`,
  );

/**
 * Sets the mailbox by which a profile's mails leave, and requeues its claimed, unsent mails.
 * @param mailboxId null: the mail server of the environment
 */
export async function setProfileBox(
  tx: Tx,
  { accountId, profileId }: { readonly accountId: number; readonly profileId: number },
  mailboxId: number | null,
): Promise<void> {
  const profile = { account_id: accountId, profile_id: profileId };
  // Claims lock it first: none runs until this transaction ends. Missing before the first run.
  await sql`SELECT FROM sender_throttle
    WHERE account_id = ${accountId} AND profile_id = ${profileId} FOR UPDATE`.execute(tx);
  const before = await tx
    .selectFrom('sender_profile')
    .select('mailbox_id')
    .where('account_id', '=', accountId)
    .where('id', '=', profileId)
    .executeTakeFirst();
  const boxes = [before?.mailbox_id, mailboxId].filter((id) => typeof id === 'number');
  for (const id of boxes.toSorted((one, other) => one - other)) await lockBox(tx, { accountId, id });
  await tx
    .updateTable('sender_profile')
    .set({ mailbox_id: mailboxId })
    .where('account_id', '=', accountId)
    .where('id', '=', profileId)
    .execute();
  await requeueUnsent(tx, profile);
  await noteProfileMails(tx, { accountId, profileId });
}
