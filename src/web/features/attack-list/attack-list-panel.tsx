import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import type { AttackListItem } from '#contract/attack-list.ts';
import { attackTargets } from '#domain/attack-list.ts';
import { Button } from '#web/components/button.tsx';
import { DataTable } from '#web/components/data-table/data-table.tsx';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { Matches } from '#web/components/matches.tsx';
import { leadToFault } from '#web/lib/lead-to-fault.ts';
import { isFiltered } from '#web/lib/list-params.ts';
import { toast } from '#web/lib/toast.ts';
import { useDebounced } from '#web/lib/use-debounced.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './attack-list-panel.module.css';
import { setTypedSettings, type TypedSettings, updateAttackListSettings, useAttackList } from './attack-list-state.ts';
import { LeftOutSummary } from './left-out-summary.tsx';
import { attackListPreview, type PreviewQuery } from './preview-attack-list.ts';
import { type Schedule, scheduleFaults, scheduleOf } from './schedule.ts';
import { ScheduleSettings } from './schedule-settings.tsx';
import { draftOfSettings, readSettings } from './settings-draft.ts';
import { SettingsPanel } from './settings-panel.tsx';
import { targetColumns } from './target-columns.ts';
import { useNow } from './use-now.ts';
import { ATTACK_LIST_MESSAGES } from './words.ts';

/** What is on screen when the button is pressed. */
export interface AttackOrder extends Schedule {
  readonly targets: readonly AttackListItem[];
  readonly days: number;
  /** The address as it was typed; null: not a test. */
  readonly testTo: string | null;
}

interface Props {
  /** Group, filters and order; the settings are this panel's own. */
  readonly base: Omit<PreviewQuery, 'days_from_lastday' | 'limit_count'>;
  /** Something is typed that is about to become a filter. */
  readonly isFilterWaiting: boolean;
  /** Before an order: tells what is wrong with what is typed as a filter, if anything is. */
  readonly refusesFilter: () => boolean;
  readonly onOrder: (order: AttackOrder) => void;
  /** Before the order: what its mails would be. */
  readonly onCheck: (order: AttackOrder) => void;
}

export function AttackListPanel({ base, isFilterWaiting, refusesFilter, onOrder, onCheck }: Props) {
  const settings = useAttackList((state) => state.attack_list_settings);
  const typed = useAttackList((state) => state.typed_settings);
  const draft = typed ?? draftOfSettings(settings);
  const now = useNow();
  const panel = useRef<HTMLDivElement>(null);
  const { faults } = readSettings(draft, settings);
  const schedule = scheduleOf(settings, now);
  const timing = scheduleFaults(schedule, now);
  const { is_test_mode, test_mode, limit_count } = settings;
  const days_from_lastday = useDebounced(settings.days_from_lastday);
  const judged = { ...base, days_from_lastday };
  const query: PreviewQuery = { ...judged, limit_count };
  const { data, isFetching, isPlaceholderData, isError, refetch } = useQuery(attackListPreview(query));
  // The rows on screen may still be those of other settings or filters: they are never offered for sending.
  const isTypedSince = isFilterWaiting || days_from_lastday !== settings.days_from_lastday;
  const outdated = data === undefined || isPlaceholderData || isTypedSince;
  const targets = useMemo(
    () =>
      data &&
      attackTargets(data.rows, limit_count, is_test_mode ? test_mode : null).map((target, row) => ({ ...target, row })),
    [data, limit_count, is_test_mode, test_mode],
  );

  function changeDraft(change: Partial<TypedSettings>): void {
    const next = { ...draft, ...change };
    setTypedSettings(next);
    updateAttackListSettings(readSettings(next, settings).settings);
  }

  function order(then: (order: AttackOrder) => void): void {
    if (targets === undefined || outdated || refusesFilter()) return;
    const rowFault = timing.candidates.find((row) => row !== null)?.text;
    const fault = Object.values(faults)[0] ?? timing.sendAt ?? rowFault;
    if (fault !== undefined) {
      toast('warning', fault);
      leadToFault(panel.current);
    } else if (targets.length === 0) toast('warning', ATTACK_LIST_MESSAGES.empty);
    else {
      const testTo = is_test_mode ? test_mode.mail_to : null;
      then({ ...schedule, targets, days: settings.days_from_lastday, testTo });
    }
  }

  const failed = isError && data === undefined;
  const { testTargets, targets: realTargets, counting, uncounted } = ATTACK_LIST_MESSAGES;
  const countOf = is_test_mode ? testTargets : realTargets;
  const unknown = failed ? uncounted : counting;
  return (
    <div ref={panel} className={styles.attackList}>
      <SettingsPanel settings={settings} draft={draft} faults={faults} onDraft={changeDraft}>
        <ScheduleSettings settings={settings} schedule={schedule} faults={timing} now={now} />
      </SettingsPanel>
      <div className={styles.bar}>
        <strong className={styles.count} data-test={is_test_mode || undefined}>
          {targets === undefined ? unknown : countOf(targets.length)}
        </strong>
        <Matches total={data?.matched} failed={failed} />
        {data === undefined ? null : <LeftOutSummary preview={data} settings={{ ...base, days_from_lastday }} />}
        <Button className={styles.check} busy={outdated} onClick={() => order(onCheck)}>
          {ATTACK_LIST_MESSAGES.checkMails}
        </Button>
        <Button
          variant={is_test_mode ? 'outline' : 'primary'}
          className={styles.send}
          busy={outdated}
          onClick={() => order(onOrder)}
        >
          {schedule.sendAt === null ? COMMON_MESSAGES.actions.send : COMMON_MESSAGES.actions.reserve}
        </Button>
      </div>
      <div className={styles.preview}>
        {failed ? (
          <LoadFailed onRetry={() => void refetch()} />
        ) : (
          <DataTable
            label={ATTACK_LIST_MESSAGES.preview}
            columns={targetColumns(is_test_mode)}
            rows={targets}
            rowId={(row) => row.prospect_id}
            busy={isFetching && data !== undefined}
            view={JSON.stringify(query)}
            empty={
              <>
                <strong>{ATTACK_LIST_MESSAGES.empty}</strong>
                <br />
                {data?.matched === 0 && !isFiltered(base)
                  ? COMMON_MESSAGES.prospects.noneHelp
                  : ATTACK_LIST_MESSAGES.emptyHelp}
              </>
            }
          />
        )}
      </div>
    </div>
  );
}
