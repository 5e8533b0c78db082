import { listSenderGroups, listSenders } from '#contract/sender.ts';
import { pickColumns } from '../../platform/http/pick-columns.ts';
import type { AddRoute } from '../../platform/http/route.ts';

export function addSenderRoutes(addRoute: AddRoute): void {
  addRoute(listSenderGroups, async ({ query: { where_info: where = {}, columns }, account }) => {
    const rows = await account.transaction((tx) =>
      tx
        .selectFrom('sender_group')
        .select(['id', 'group_name', 'account_id', 'active'])
        .where('account_id', '=', account.id)
        .$if(where.account_id !== undefined, (q) => q.where('account_id', '=', where.account_id ?? 0))
        .$if(where.id !== undefined, (q) => q.where('id', '=', where.id ?? 0))
        .$if(where.active !== undefined, (q) => q.where('active', '=', where.active === 1))
        .orderBy('id')
        .execute(),
    );
    return rows.map((row) => pickColumns({ ...row, active: row.active ? 1 : 0 } as const, columns));
  });

  addRoute(listSenders, async ({ query: { where_info: where = {}, columns }, account }) => {
    const rows = await account.transaction((tx) =>
      tx
        .selectFrom('sender')
        .innerJoin('sender_group', (join) =>
          join
            .onRef('sender_group.account_id', '=', 'sender.account_id')
            .onRef('sender_group.id', '=', 'sender.sender_group_id'),
        )
        .select([
          'sender.id',
          'sender.sender_group_id',
          'sender.subject',
          'sender.person_in_charge',
          'sender.email',
          'sender.bcc',
          'sender.template_id',
          'sender.active',
          'sender_group.group_name as group',
        ])
        .where('sender.account_id', '=', account.id)
        .$if(where.id !== undefined, (q) => q.where('sender.id', '=', where.id ?? 0))
        .$if(where.sender_group_id !== undefined, (q) =>
          q.where('sender.sender_group_id', '=', where.sender_group_id ?? 0),
        )
        .$if(where.active !== undefined, (q) => q.where('sender.active', '=', where.active === 1))
        .orderBy('sender.id')
        .execute(),
    );
    return rows.map((row) => pickColumns({ ...row, active: row.active ? 1 : 0 } as const, columns));
  });
}
