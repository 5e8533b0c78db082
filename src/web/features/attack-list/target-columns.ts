import type { AttackListItem } from '#contract/attack-list.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { WORDS } from '#web/lib/words.ts';

const { columns } = WORDS.attackList;

export const targetColumns: readonly Column<AttackListItem>[] = [
  {
    id: 'company_name',
    header: columns.company_name,
    width: 320,
    isRowHeader: true,
    render: (target) => target.company_name,
  },
  { id: 'company_email', header: columns.company_email, width: 320, render: (target) => target.company_email },
  { id: 'person_in_charge', header: columns.person_in_charge, width: 200, render: (target) => target.person_in_charge },
];
