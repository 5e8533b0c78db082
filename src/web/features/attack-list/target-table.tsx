import type { ReactNode } from 'react';
import { Button } from '#web/components/button.tsx';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { EmptyState } from '#web/components/empty-state.tsx';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './attack-list-panel.module.css';
import { targetColumns } from './target-columns.ts';
import type { Targets } from './use-targets.ts';
import { ATTACK_LIST_MESSAGES } from './words.ts';

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
