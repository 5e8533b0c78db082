import type { AttackListItem } from '#contract/attack-list.ts';
import type { Column } from '#web/components/data-table/column.ts';
import { ATTACK_LIST_MESSAGES } from './words.ts';

const { columns } = ATTACK_LIST_MESSAGES;

/** A target with its index in the list. */
export type TargetRow = AttackListItem & { readonly row: number };

const TARGET_COLUMNS: readonly Column<TargetRow>[] = [
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

/** Columns of a test run. The first is the row, from 1; `[n]` in the test address is counted from 0. */
const TEST_COLUMNS: readonly Column<TargetRow>[] = [
  { id: 'row', header: columns.row, kind: 'number', width: 80, render: ({ row }) => String(row + 1) },
  ...TARGET_COLUMNS,
];

export const targetColumns = (isTest: boolean) => (isTest ? TEST_COLUMNS : TARGET_COLUMNS);
