import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { AttackListItem } from '#contract/attack-list.ts';
import { MINUTE_MS } from '#domain/time-units.ts';
import { isFiltered } from '#web/lib/address/params.ts';
import { focusFault } from '#web/lib/focus-fault.ts';
import { serverNow } from '#web/lib/server-clock.ts';
import { toast } from '#web/lib/toast.ts';
import styles from './attack-list-panel.module.css';
import {
  followUpOf,
  setTypedSettings,
  type TypedSettings,
  updateAttackListSettings,
  useAttackList,
} from './attack-list-state.ts';
import { firstScheduleFault, type Schedule, scheduleFaults, scheduleOf } from './schedule.ts';
import { ScheduleSettings } from './schedule-settings.tsx';
import { draftOfSettings, readSettings } from './settings-draft.ts';
import { SettingsPanel } from './settings-panel.tsx';
import { TargetBar } from './target-bar.tsx';
import { TargetTable } from './target-table.tsx';
import { type PreviewBase, useTargets } from './use-targets.ts';
import { ATTACK_LIST_MESSAGES } from './words.ts';

/** The targets and settings on screen when a button is pressed. */
export interface AttackOrder extends Schedule {
  readonly targets: readonly AttackListItem[];
  readonly days: number;
  /** The address as typed; null: not a test. */
  readonly testTo: string | null;
  /** The run that is followed up; undefined: first mails. */
  readonly followUpOf?: number | undefined;
}

interface Props {
  readonly base: PreviewBase;
  /** The typed filter is valid and not applied yet. */
  readonly isFilterWaiting: boolean;
  /** Reports a faulty filter before an order. Returns whether there is one. */
  readonly blocksFilter: () => boolean;
  readonly onOrder: (order: AttackOrder) => void;
  /** Previews the mails of the order. */
  readonly onCheck: (order: AttackOrder) => void;
  /** The buttons that fill an empty list of companies. */
  readonly cure?: ReactNode;
  /** Removes all filters. */
  readonly onClear?: () => void;
}

/** The settings of an attack list, with its targets below. */
export function AttackListPanel({ base, isFilterWaiting, blocksFilter, onOrder, onCheck, cure, onClear }: Props) {
  const settings = useAttackList((state) => state.attack_list_settings);
  const typed = useAttackList((state) => state.typed_settings);
  const draft = typed ?? draftOfSettings(settings);
  const { faults } = readSettings(draft, settings);
  const now = useNow();
  const schedule = scheduleOf(settings, now);
  const timing = scheduleFaults(schedule, now);
  const targets = useTargets(base, settings, isFilterWaiting);
  const panel = useRef<HTMLDivElement>(null);
  const isTest = settings.is_test_mode;

  function changeDraft(change: Partial<TypedSettings>): void {
    const next = { ...draft, ...change };
    setTypedSettings(next);
    updateAttackListSettings(readSettings(next, settings).settings);
  }

  function order(then: (order: AttackOrder) => void): void {
    const rows = targets.targets;
    if (rows === undefined || targets.isOutdated || blocksFilter()) return;
    const fault = Object.values(faults)[0] ?? firstScheduleFault(timing);
    if (fault !== undefined) {
      toast('warning', fault);
      focusFault(panel.current);
    } else if (rows.length === 0) toast('warning', ATTACK_LIST_MESSAGES.empty);
    else {
      const testTo = isTest ? settings.test_mode.mail_to : null;
      const followed = followUpOf(settings, base.sender_group_id);
      then({ ...schedule, targets: rows, days: settings.days_from_lastday, testTo, followUpOf: followed });
    }
  }

  return (
    <div ref={panel} className={styles.attackList}>
      <SettingsPanel
        settings={settings}
        senderGroupId={Number(base.sender_group_id)}
        draft={draft}
        faults={faults}
        onDraft={changeDraft}
      >
        <ScheduleSettings settings={settings} schedule={schedule} faults={timing} now={now} />
      </SettingsPanel>
      <TargetBar
        targets={targets}
        isTest={isTest}
        isReservation={schedule.sendAt !== null}
        onCheck={() => order(onCheck)}
        onOrder={() => order(onOrder)}
      />
      <TargetTable targets={targets} isTest={isTest} isUnfiltered={!isFiltered(base)} cure={cure} onClear={onClear} />
    </div>
  );
}

const thisMinute = (): number => Math.floor(serverNow() / MINUTE_MS) * MINUTE_MS;

const SECOND_MS = 1000;

/**
 * Returns the server's present minute in epoch milliseconds.
 * It advances while the page is open, and the choices of pickers and their defaults with it.
 */
function useNow(): number {
  const [now, setNow] = useState(thisMinute);
  useEffect(() => {
    const timer = setInterval(() => setNow(thisMinute()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
