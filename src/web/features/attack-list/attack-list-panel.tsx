import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { AttackListItem } from '#contract/attack-list.ts';
import { attackTargets } from '#domain/attack-list.ts';
import { Button } from '#web/components/button.tsx';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { type AttackListSettings, updateAttackListSettings, useSession } from '#web/lib/session-store.ts';
import { toast } from '#web/lib/toast.ts';
import { useDebounced } from '#web/lib/use-debounced.ts';
import { WORDS } from '#web/lib/words.ts';
import styles from './attack-list-panel.module.css';
import { LeftOutSummary } from './left-out-summary.tsx';
import { attackListPreview, type PreviewQuery } from './preview-attack-list.ts';
import { draftOfSettings, readSettings, type SettingsDraft } from './settings-draft.ts';
import { SettingsPanel } from './settings-panel.tsx';
import { targetColumns } from './target-columns.ts';

interface Props {
  /** Group, filters and order; the settings are this panel's own. */
  readonly base: Omit<PreviewQuery, 'days_from_lastday' | 'limit_count'>;
  readonly onSend: (targets: readonly AttackListItem[], settings: AttackListSettings) => void;
}

export function AttackListPanel({ base, onSend }: Props) {
  const settings = useSession((state) => state.attack_list_settings);
  const [draft, setDraft] = useState(() => draftOfSettings(settings));
  const { faults } = readSettings(draft, settings);
  const { is_test_mode, test_mode, limit_count } = settings;
  const days_from_lastday = useDebounced(settings.days_from_lastday);
  const query: PreviewQuery = { ...base, days_from_lastday, limit_count };
  const { data, isFetching, isPlaceholderData, isError, refetch } = useQuery(attackListPreview(query));
  // The rows on screen may still be those of other settings: they are never offered for sending.
  const outdated = data === undefined || isPlaceholderData || days_from_lastday !== settings.days_from_lastday;
  const targets = useMemo(
    () => data && attackTargets(data.rows, limit_count, is_test_mode ? test_mode : null),
    [data, limit_count, is_test_mode, test_mode],
  );

  function changeDraft(change: Partial<SettingsDraft>): void {
    const next = { ...draft, ...change };
    setDraft(next);
    updateAttackListSettings(readSettings(next, settings).settings);
  }

  function send(): void {
    if (targets === undefined || outdated) return;
    const [fault] = Object.values(faults);
    if (fault !== undefined) toast('warning', fault);
    else if (targets.length === 0) toast('warning', WORDS.attackList.empty);
    else onSend(targets, settings);
  }

  if (isError && data === undefined) return <LoadFailed onRetry={() => void refetch()} />;
  return (
    <div className={styles.attackList}>
      <SettingsPanel settings={settings} draft={draft} faults={faults} onDraft={changeDraft} />
      <div className={styles.bar}>
        <strong className={styles.count} data-test={is_test_mode || undefined}>
          {(is_test_mode ? WORDS.attackList.testTargets : WORDS.attackList.targets)(targets?.length ?? 0)}
        </strong>
        {data === undefined ? null : <LeftOutSummary preview={data} />}
        <Button variant="primary" className={styles.send} busy={outdated} onClick={send}>
          {WORDS.actions.send}
        </Button>
      </div>
      <DataTable
        label={WORDS.attackList.preview}
        columns={targetColumns}
        rows={targets}
        rowId={(row) => row.prospect_id}
        busy={isFetching && data !== undefined}
        view={JSON.stringify(query)}
        empty={
          <>
            <strong>{WORDS.attackList.empty}</strong>
            <br />
            {WORDS.attackList.emptyHelp}
          </>
        }
      />
    </div>
  );
}
