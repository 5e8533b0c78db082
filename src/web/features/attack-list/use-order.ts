import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { defaultSendAt } from '#domain/sending/reservation-window.ts';
import { MINUTE_MS } from '#domain/time-units.ts';
import { firstScheduleFault, type Schedule, scheduleFaults } from '#web/components/schedule/schedule.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { useTimeNote } from '#web/lib/data/group-rules.ts';
import { holidays } from '#web/lib/data/holidays.ts';
import { DETAIL_SEPARATOR } from '#web/lib/phrases.ts';
import { type AttackListSettings, followUpOf, useAttackList } from './attack-list-state.ts';
import { type OrderFacts, orderText } from './order/order-sentence.ts';
import { followUpRun } from './settings/follow-up-runs.ts';
import { draftOfSettings, readSettings, type SettingsFaults } from './settings/settings-draft.ts';
import { type PreviewBase, type Targets, useTargets } from './use-targets.ts';
import { ATTACK_LIST_MESSAGES } from './words.ts';

interface From extends Pick<OrderFacts, 'sender' | 'isLegal' | 'isBadDomain'> {
  readonly base: PreviewBase;
  readonly isFilterWaiting: boolean;
}

/** Returns what would be ordered now: settings, targets, errors, and the sentence about them. */
export function useOrder({ base, sender, isFilterWaiting, ...from }: From) {
  const settings = useAttackList((state) => state.attack_list_settings);
  const typed = useAttackList((state) => state.typed_settings);
  const draft = typed ?? draftOfSettings(settings);
  const { faults } = readSettings(draft, settings);
  const now = useNow();
  const schedule = scheduleOf(settings, now);
  const timing = scheduleFaults(schedule, now);
  const targets = useTargets(base, settings, isFilterWaiting);
  const { data: holidayNames } = useQuery(holidays);
  const isTest = settings.is_test_mode;
  const groupId = isTest ? undefined : Number(base.sender_group_id);
  const note = useTimeNote(groupId, schedule.sendAt ?? now);
  const followed = followUpOf(settings, base.sender_group_id);
  const { data: [followedRun] = [] } = useQuery(followUpRun(followed ?? 0, followed !== undefined));
  const fault = Object.values(faults)[0] ?? firstScheduleFault(timing);
  const testTo = isTest ? settings.test_mode.mail_to : null;
  const text = orderText({
    sender,
    targets: targetFacts(targets, settings.limit_count),
    hasFailed: targets.hasFailed,
    fault: fault && faultOf(faults, fault),
    testTo,
    sendAt: schedule.sendAt,
    now,
    holidays: holidayNames,
    ownHours: note.isOwn ? note : undefined,
    days: settings.days_from_lastday,
    isFollowUp: followed !== undefined,
    followedSubject: followedRun?.subject,
    chosen: chosenFacts(targets),
    ...from,
  });
  return { settings, draft, faults, fault, schedule, timing, now, targets, testTo, followed, text };
}

export type Order = ReturnType<typeof useOrder>;

/** Returns the first error of the settings. A message about a number does not name its field, so the label is added. */
function faultOf({ days, testLimit }: SettingsFaults, fault: string): string {
  if (fault === days) return labelled(ATTACK_LIST_MESSAGES.days, fault);
  return fault === testLimit ? labelled(ATTACK_LIST_MESSAGES.testLimit, fault) : fault;
}

const labelled = (label: string, fault: string): string => label + DETAIL_SEPARATOR + fault;

const targetFacts = ({ rows, targets, isCutByTest, preview }: Targets, limit: number): OrderFacts['targets'] =>
  rows === undefined || targets === undefined || preview === undefined
    ? undefined
    : {
        ticked: targets.length,
        aside: rows.filter(({ left }) => left === 'aside').length,
        overDomain: rows.filter(({ left }) => left === 'domain_limit').length,
        perDomain: preview.domain_rule?.per_domain ?? 0,
        limit,
        isCutByTest: isCutByTest === true,
        eligible: preview.eligible,
      };

/** Names the chosen companies that get no mail, if the list matches the settings. */
function chosenFacts({ source, preview, isOutdated }: Targets): OrderFacts['chosen'] {
  if (source?.companies === undefined) return undefined;
  const listed = new Set(preview?.rows.map(({ prospect_id }) => prospect_id));
  const fallen = preview === undefined || isOutdated ? [] : source.companies.filter(({ id }) => !listed.has(id));
  return { fallen: fallen.map(({ name }) => name) };
}

const thisMinute = (): number => Math.floor(serverNow() / MINUTE_MS) * MINUTE_MS;

const SECOND_MS = 1000;

/**
 * Returns the server's current minute in epoch milliseconds.
 * It advances while the page is open, and with it the choices and defaults of pickers.
 */
function useNow(): number {
  const [now, setNow] = useState(thisMinute);
  useEffect(() => {
    const timer = setInterval(() => setNow(thisMinute()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

const scheduleOf = (settings: AttackListSettings, now: number): Schedule => ({
  sendAt: settings.is_reservation_mode ? (settings.send_at ?? defaultSendAt(now)) : null,
  candidateDates: settings.has_candidate_dates ? settings.candidate_dates : null,
});
