import { sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';

export type LoadedSender = NonNullable<Awaited<ReturnType<typeof loadSender>>>;

/**
 * Loads an active sender of an active group, with the template, company and person that its mails are made from.
 * @param memberId the member whose name is used in the mails; null: unknown, so the account's first member
 * @returns undefined when the account has no such active sender
 */
export function loadSender(
  tx: Tx,
  { accountId, memberId, senderId }: { accountId: number; memberId: number | null; senderId: number },
) {
  return tx
    .selectFrom('sender')
    .innerJoin('sender_group', (join) =>
      join
        .onRef('sender_group.account_id', '=', 'sender.account_id')
        .onRef('sender_group.id', '=', 'sender.sender_group_id'),
    )
    .innerJoin('mail_template', (join) =>
      join
        .onRef('mail_template.account_id', '=', 'sender.account_id')
        .onRef('mail_template.id', '=', 'sender.template_id'),
    )
    .innerJoin('account', 'account.id', 'sender.account_id')
    .innerJoin('member', (join) =>
      join.onRef('member.account_id', '=', 'sender.account_id').on('member.id', '=', ({ fn, selectFrom }) =>
        fn.coalesce(
          sql<number | null>`${memberId}::bigint`,
          selectFrom('member as first')
            .select(({ fn: { min } }) => min('first.id').as('id'))
            .whereRef('first.account_id', '=', 'sender.account_id'),
        ),
      ),
    )
    .leftJoin('confirmed_address', (join) =>
      join
        .onRef('confirmed_address.account_id', '=', 'sender.account_id')
        .on('confirmed_address.address_key', '=', sql<string>`lower(sender.email COLLATE "C")`),
    )
    .select([
      'sender.id',
      'sender.sender_group_id',
      'sender.template_id',
      'sender.person_in_charge',
      'sender.email',
      'sender.bcc',
      'sender.reply_to',
      'sender.signature',
      'confirmed_address.confirmed_at',
      'mail_template.text_body',
      'mail_template.html_body',
      'mail_template.sendgrid_template_id',
      'mail_template.sendgrid_footer_confirmed_at',
      'member.name as account_name',
      'account.company as account_company',
    ])
    .select(({ fn }) => fn.coalesce('sender.subject', 'mail_template.subject').as('subject'))
    .where('sender.account_id', '=', accountId)
    .where('sender.id', '=', senderId)
    .where('sender.active', '=', true)
    .where('sender_group.active', '=', true)
    .executeTakeFirst();
}
