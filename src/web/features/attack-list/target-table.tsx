import { DataTable } from '#web/components/data-table/data-table.tsx';
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
}

export function TargetTable({ targets: { targets, preview, ...state }, isTest, isUnfiltered }: Props) {
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
            <>
              <strong>{ATTACK_LIST_MESSAGES.empty}</strong>
              <br />
              {hasNoProspects ? COMMON_MESSAGES.prospects.noneHelp : ATTACK_LIST_MESSAGES.emptyHelp}
            </>
          }
        />
      )}
    </div>
  );
}
