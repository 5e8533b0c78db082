import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dayOf, formatSecond } from '#domain/time/tokyo-time.ts';
import type { Check } from '#web/components/field/check-list.tsx';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { ATTACK_LIST } from '#web/lib/api/query-keys.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { type GroupRules, groupRules, useTimeNote } from '#web/lib/data/group-rules.ts';
import { sentenceDay } from '#web/lib/screen-time.ts';
import { ORDER_RULE_MESSAGES as messages } from './words.ts';

type PlanQuery = InputOf<'previewAttackList'>['query'];
type Plan = NonNullable<AnswerOf<'previewAttackList'>['plan']>;

interface RuledOrder {
  /** undefined: a test, to which no rule applies. */
  readonly groupId: number | undefined;
  readonly profileId: number;
  readonly mails: number;
  /** Epoch milliseconds of a reservation; null: send at once. */
  readonly sendAt: number | null;
  /** The query of its list's preview, with its sender; undefined: unknown. */
  readonly listQuery?: PlanQuery | undefined;
}

/** The number of companies mailed on a day, or on all days after those shown. */
export interface DayShare {
  readonly day: string;
  readonly mails: number;
}

/** What a dialog shows about a real order because of its group's rules. */
export interface OrderRules {
  /** Whether the group's rules judge the time, in place of the usual office hours. */
  readonly hasOwnHours: boolean;
  readonly checks: readonly Check[];
  /** The days on which its mails leave, if a limit defers some of them; undefined: loading. */
  readonly days: readonly DayShare[] | null | undefined;
}

/** Loads the days on which the mails of an order leave, if it has a limit. Nobody waits for them. */
function useOrderPlan({ groupId = 0, sendAt, listQuery }: RuledOrder, hasLimit: boolean) {
  const query = { sender_group_id: groupId, ...listQuery, ...(sendAt !== null && { send_at: formatSecond(sendAt) }) };
  return useQuery({
    queryKey: [ATTACK_LIST, 'plan', query],
    queryFn: async ({ signal }): Promise<Plan> =>
      unwrap(await call('previewAttackList', { query }, { signal })).plan ?? [],
    enabled: hasLimit && listQuery !== undefined,
    // Mails sent since would be missing in a cached plan.
    staleTime: 0,
    gcTime: 0,
    meta: { quiet: true },
  });
}

/** Returns what the rules of its group do to an order. The order never waits for it. */
export function useOrderRules(order: RuledOrder): OrderRules {
  const { groupId, profileId, mails, sendAt } = order;
  const [now] = useState(serverNow);
  const at = sendAt ?? now;
  const { text, isHeld, isOwn } = useTimeNote(groupId, at);
  const { data } = useQuery({ ...groupRules(groupId ?? 0), enabled: groupId !== undefined, meta: { quiet: true } });
  // Without a limit all leave as they are sent.
  const left = data === undefined ? null : leftToday(data, profileId);
  const { data: plan = [], isLoading } = useOrderPlan(order, left !== null);
  if (data === undefined) return { hasOwnHours: false, checks: [], days: null };
  const isClosed = isOwn && text !== null;
  const days = isLoading ? undefined : sharesOf(plan, mails, dayOf(at));
  // Of a later day nothing is known without a plan.
  const isLimited = days === null && sendAt === null && !isHeld && left !== null && left < mails;
  return {
    hasOwnHours: isOwn,
    days,
    checks: [
      ...(isClosed ? [timeCheck(text, isHeld, sendAt === null)] : []),
      ...(isLimited ? [{ kind: 'waiting', text: messages.limited(left, mails - left) } as const] : []),
    ],
  };
}

/** The number of days shown; further ones are combined. */
const SHOWN_DAYS = 4;

/**
 * Returns how the mails are spread over the days of their plan.
 * @param first the day on which all would leave without a limit: 'YYYY-MM-DD'
 * @returns []: all leave on that day, or the plan does not say
 */
function sharesOf(plan: Plan, mails: number, first: string): readonly DayShare[] | null {
  let left = mails;
  const needed = plan.flatMap(({ day, mails: most }) => {
    const taken = Math.min(left, most);
    left -= taken;
    return taken === 0 ? [] : [{ day, mails: taken }];
  });
  if (needed.length === 0 || (needed[0]?.day === first && needed[0].mails === mails)) return null;
  const today = dayOf(serverNow());
  const named = needed.length <= SHOWN_DAYS ? needed : needed.slice(0, SHOWN_DAYS - 1);
  const others = needed.slice(named.length);
  const [next, last] = [others[0], others.at(-1)];
  return [
    ...named.map(({ day, mails: share }) => ({ day: day === today ? messages.today : sentenceDay(day), mails: share })),
    ...(next === undefined || last === undefined
      ? []
      : [{ day: messages.between(sentenceDay(next.day), sentenceDay(last.day)), mails: sum(others) }]),
    ...(left > 0 ? [{ day: messages.later, mails: left }] : []),
  ];
}

const sum = (shares: readonly DayShare[]): number => shares.reduce((all, { mails }) => all + mails, 0);

/** Returns when the mails of a closed group leave, or asks whether to send them nevertheless. */
function timeCheck(text: string, isHeld: boolean, isNow: boolean): Check {
  if (isHeld) return { kind: 'waiting', text };
  // The key includes the text, so that a tick for other hours does not count here.
  const ask = { rule: 'outside_hours', key: `outside_hours ${text}`, label: messages.tick(isNow) } as const;
  return { kind: 'warning', text: messages.closed(text, isNow), ask };
}

/** Returns how many mails the account, and the order's sender, may still send today; null: no limit. */
function leftToday({ limits, now }: GroupRules, profileId: number): number | null {
  const own = limits.find(({ profile_id }) => profile_id === profileId);
  const left = [now.left_today, own === undefined ? null : Math.max(0, own.limit - own.used)];
  const known = left.filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
}
