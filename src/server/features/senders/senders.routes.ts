import { listSenderGroups, listSenders } from '#contract/sender.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { asFlag, ownRows, pickColumns } from '../../platform/list-rows.ts';

export function addSenderRoutes(addRoute: AddRoute): void {
  addRoute(listSenderGroups, async ({ query: { where_info, columns, limit }, account }) => {
    const rows = await account.transaction((tx) =>
      tx
        .selectFrom('sender_group')
        .select(['id', 'group_name', 'account_id', 'active'])
        .where(ownRows('sender_group', account.id, where_info))
        .orderBy('id')
        .limit(limit)
        .execute(),
    );
    return rows.map((row) => pickColumns({ ...row, active: asFlag(row.active) }, columns));
  });

  addRoute(listSenders, async ({ query: { where_info, columns, limit }, account }) => {
    const rows = await account.transaction((tx) =>
      tx
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
        .select([
          'sender.id',
          'sender.sender_group_id',
          'sender.subject',
          'sender.person_in_charge',
          'sender.email',
          'sender.bcc',
          'sender.template_id',
          'mail_template.sendgrid_template_id',
          'sender.active',
          'sender_group.group_name as group',
        ])
        .where(ownRows('sender', account.id, where_info))
        .orderBy('sender.id')
        .limit(limit)
        .execute(),
    );
    return rows.map((row) => pickColumns({ ...row, active: asFlag(row.active) }, columns));
  });
}
