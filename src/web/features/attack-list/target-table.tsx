import type { ReactNode } from 'react';
import type { AttackListItem } from '#contract/attack-list.ts';
import { Button } from '#web/components/button.tsx';
import type { Column } from '#web/components/data-table/column.ts';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { EmptyState } from '#web/components/empty-state.tsx';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './attack-list-panel.module.css';
import type { Targets } from './use-targets.ts';
import { ATTACK_LIST_MESSAGES } from './words.ts';

const { columns } = ATTACK_LIST_MESSAGES;

/** A target with its index in the list. */
type TargetRow = AttackListItem & { readonly row: number };

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

interface Props {
  readonly targets: Targets;
  readonly isTest: boolean;
  /** The filters leave nobody out. */
  readonly isUnfiltered: boolean;
  /** The buttons that fill an empty list of companies. */
  readonly cure: ReactNode;
  /** Removes all filters. */
  readonly onClear: (() => void) | undefined;
}

export function TargetTable({ targets: { targets, preview, ...state }, isTest, isUnfiltered, cure, onClear }: Props) {
  const hasNoProspects = preview?.matched === 0 && isUnfiltered;
  return (
    <div className={styles.preview}>
      {state.hasFailed ? (
        <LoadFailed onRetry={state.reload} />
      ) : (
        <DataTable
          label={ATTACK_LIST_MESSAGES.preview}
          columns={targetColumns(isTest)}
          rows={targets}
          rowId={(row) => row.prospect_id}
          busy={state.isReloading}
          view={state.view}
          empty={
            <EmptyState
              kind={hasNoProspects ? 'none' : 'no-match'}
              title={ATTACK_LIST_MESSAGES.empty}
              help={hasNoProspects ? COMMON_MESSAGES.prospects.noneHelp : ATTACK_LIST_MESSAGES.emptyHelp}
            >
              {hasNoProspects ? (
                cure
              ) : isUnfiltered || onClear === undefined ? null : (
                <Button onClick={onClear}>{ATTACK_LIST_MESSAGES.clear}</Button>
              )}
            </EmptyState>
          }
        />
      )}
    </div>
  );
}

/** Columns of a test run. The first is the row, from 1; `[n]` in the test address is counted from 0. */
const TEST_COLUMNS: readonly Column<TargetRow>[] = [
  { id: 'row', header: columns.row, kind: 'number', width: 80, render: ({ row }) => String(row + 1) },
  ...TARGET_COLUMNS,
];

const targetColumns = (isTest: boolean) => (isTest ? TEST_COLUMNS : TARGET_COLUMNS);
