import { listSenderGroups, listSenders } from '#contract/sender.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { asFlag, countRows, ownRows, pageOf, pickColumns } from '../../platform/list-rows.ts';

export function addSenderRoutes(addRoute: AddRoute): void {
  addRoute(listSenderGroups, ({ query: { where_info, columns, ...window }, account }) =>
    account.transaction(async (tx) => {
      const own = ownRows('sender_group', account.id, where_info);
      const found = await tx
        .selectFrom('sender_group')
        .select(['id', 'group_name', 'account_id', 'active'])
        .where(own)
        .orderBy('id')
        .limit(window.limit)
        .offset(window.offset)
        .execute();
      const rows = found.map((row) => pickColumns({ ...row, active: asFlag(row.active) }, columns));
      return pageOf(rows, window, () => countRows(tx, 'sender_group', own));
    }),
  );

  addRoute(listSenders, ({ query: { where_info, columns, ...window }, account }) =>
    account.transaction(async (tx) => {
      const own = ownRows('sender', account.id, where_info);
      const found = await tx
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
        .where(own)
        .orderBy('sender.id')
        .limit(window.limit)
        .offset(window.offset)
        .execute();
      const rows = found.map((row) => pickColumns({ ...row, active: asFlag(row.active) }, columns));
      return pageOf(rows, window, () => countRows(tx, 'sender', own));
    }),
  );
}
