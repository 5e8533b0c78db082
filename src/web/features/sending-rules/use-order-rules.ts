import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dayText } from '#domain/sending/sending-hours.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import type { Check } from '#web/components/check-list.tsx';
import { type AnswerOf, call, type InputOf } from '#web/lib/call.ts';
import { type GroupRules, groupRules, useTimeNote } from '#web/lib/group-rules.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { ATTACK_LIST } from '#web/lib/query-keys.ts';
import { serverNow } from '#web/lib/server-clock.ts';
import { ORDER_RULE_MESSAGES as messages } from './words.ts';

type PlanQuery = InputOf<'previewAttackList'>['query'];
type Plan = NonNullable<AnswerOf<'previewAttackList'>['plan']>;

/** On which days the mails of a list leave, as far as it is known. Nobody waits for it. */
const orderPlan = (query: PlanQuery) =>
  queryOptions({
    queryKey: [ATTACK_LIST, 'plan', query],
    queryFn: async ({ signal }): Promise<Plan> =>
      unwrap(await call('previewAttackList', { query }, { signal })).plan ?? [],
    // What has left since is no part of it.
    staleTime: 0,
    gcTime: 0,
    meta: { quiet: true },
  });

interface RuledOrder {
  /** undefined: a test, which no rule concerns. */
  readonly groupId: number | undefined;
  readonly profileId: number;
  readonly mails: number;
  /** Epoch milliseconds of a reservation; null: at once. */
  readonly sendAt: number | null;
  /** The preview of its list, with its sender; undefined: unknown. */
  readonly listQuery?: PlanQuery | undefined;
}

/**
 * Returns what a dialog says of a real order: of a time at which its group is closed, and what is left for another day.
 * The order never waits for it.
 *
 * @returns hasOwnHours: the group's rules judge the time, and the usual hours of offices say nothing of it
 */
export function useOrderRules({ groupId, profileId, mails, sendAt, listQuery }: RuledOrder): {
  hasOwnHours: boolean;
  checks: readonly Check[];
} {
  const [now] = useState(serverNow);
  const { text, isHeld, isOwn } = useTimeNote(groupId, sendAt ?? now);
  const { data } = useQuery({ ...groupRules(groupId ?? 0), enabled: groupId !== undefined, meta: { quiet: true } });
  // Of a later day nothing is known, and without a limit all leave as they are sent.
  const left = data === undefined || sendAt !== null ? null : leftToday(data, profileId);
  const isPlanned = left !== null && groupId !== undefined && listQuery !== undefined;
  const { data: plan } = useQuery({
    ...orderPlan(listQuery ?? { sender_group_id: groupId ?? 0 }),
    enabled: isPlanned,
  });
  if (groupId === undefined || data === undefined) return { hasOwnHours: false, checks: [] };
  const isClosed = isOwn && text !== null;
  const planned = left === null ? null : planText(plan ?? [], mails, dayOf(now));
  const limited = left === null || isHeld || left >= mails ? null : messages.limited(left, mails - left);
  const waiting = planned ?? limited;
  return {
    hasOwnHours: isOwn,
    checks: [
      ...(isClosed ? [timeCheck(text, isHeld, sendAt === null)] : []),
      ...(waiting === null || waiting === '' ? [] : [{ kind: 'waiting', text: waiting } as const]),
    ],
  };
}

/**
 * Says how many mails leave on the first day, and when the others do.
 * @param today 'YYYY-MM-DD'
 * @returns '': all leave on the first day; null: the plan does not say it
 */
function planText(plan: Plan, mails: number, today: string): string | null {
  const [first, next] = plan;
  if (first === undefined) return null;
  if (first.mails >= mails) return first.day === today ? '' : messages.planned.all(dayText(first.day));
  if (next === undefined) return null;
  const isFirstToday = first.day === today;
  let left = mails - first.mails;
  const later = plan.slice(1).filter((planned) => {
    const isNeeded = left > 0;
    left -= planned.mails;
    return isNeeded;
  });
  const last = left > 0 ? undefined : dayText(later.at(-1)?.day ?? next.day);
  const when = messages.planned.when(dayText(next.day), last);
  const rest = mails - first.mails;
  return isFirstToday
    ? messages.planned.today(first.mails, rest, when)
    : messages.planned.first(dayText(first.day), first.mails, rest, when);
}

/** Says when the mails of a closed group leave, or asks whether they shall leave nevertheless. */
function timeCheck(text: string, isHeld: boolean, isNow: boolean): Check {
  if (isHeld) return { kind: 'waiting', text };
  // Another text than that of the usual hours needs a tick of its own.
  const ask = { rule: 'outside_hours', key: `outside_hours ${text}` } as const;
  return { kind: 'warning', text: messages.closed(text, isNow), ask };
}

/** Returns how many mails the account, and the sender of an order, may still send today; null: no limit. */
function leftToday({ limits, now }: GroupRules, profileId: number): number | null {
  const own = limits.find(({ profile_id }) => profile_id === profileId);
  const left = [now.left_today, own === undefined ? null : Math.max(0, own.limit - own.used)];
  const known = left.filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
}
