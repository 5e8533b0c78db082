import type { Db } from '../../platform/db.ts';
import { type Letter, writeLetter } from './letter.ts';

export interface NewSender {
  /** The subject of its template, which the sender uses. */
  readonly subject: string;
  readonly person_in_charge: string;
  readonly email: string;
  readonly template: Letter;
}

export interface NewSenderGroup {
  readonly group_name: string;
  readonly senders: readonly NewSender[];
}

/** Inserts a group with its senders and their templates. The caller runs it in a transaction. */
export async function addSenderGroup(
  tx: Db,
  account_id: number,
  { group_name, senders }: NewSenderGroup,
): Promise<void> {
  const { id: sender_group_id } = await tx
    .insertInto('sender_group')
    .values({ account_id, group_name })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const { template, subject, ...sender } of senders) {
    const { id: template_id } = await tx
      .insertInto('mail_template')
      .values({ account_id, subject, ...template })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('sender')
      .values({ account_id, sender_group_id, template_id, ...sender })
      .execute();
  }
}

/** Returns the group of a new account: one sender with the person's own address, so that every screen works at once. */
export const starterGroup = ({ name, email }: { name: string; email: string }): NewSenderGroup => ({
  group_name: '送信者グループ1',
  senders: [
    {
      subject: 'ご挨拶',
      person_in_charge: name,
      email,
      template: writeLetter(
        'ご挨拶',
        ['このたび、貴社の事業を拝見し、ぜひ一度ご挨拶をさせていただきたくご連絡いたしました。'],
        [],
      ),
    },
  ],
});
