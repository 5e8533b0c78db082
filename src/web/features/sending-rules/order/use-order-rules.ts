import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dayText } from '#domain/sending/sending-hours.ts';
import { dayOf, formatSecond } from '#domain/time/tokyo-time.ts';
import type { Check } from '#web/components/field/check-list.tsx';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { ATTACK_LIST } from '#web/lib/api/query-keys.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { type GroupRules, groupRules, useTimeNote } from '#web/lib/data/group-rules.ts';
import { ORDER_RULE_MESSAGES as messages } from './words.ts';

type PlanQuery = InputOf<'previewAttackList'>['query'];
type Plan = NonNullable<AnswerOf<'previewAttackList'>['plan']>;

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

/** How many companies get their mail on a day, or on the days after those that are named. */
export interface DayShare {
  readonly day: string;
  readonly mails: number;
}

/** What a dialog says of a real order by the rules of its group. */
export interface OrderRules {
  /** The group's rules judge the time, and the usual hours of offices say nothing of it. */
  readonly hasOwnHours: boolean;
  readonly checks: readonly Check[];
  /** The days on which its mails leave, if a limit keeps some from the first one; undefined: loading. */
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
    // What has left since is no part of it.
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

/** More days than that are put together. */
const SHOWN_DAYS = 4;

/**
 * Returns how the mails are shared among the days of their plan.
 * @param first on which all would leave without a limit: 'YYYY-MM-DD'
 * @returns null: all leave on that day, or the plan does not say it
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
    ...named.map(({ day, mails: share }) => ({ day: day === today ? messages.today : dayText(day), mails: share })),
    ...(next === undefined || last === undefined
      ? []
      : [{ day: messages.between(dayText(next.day), dayText(last.day)), mails: sum(others) }]),
    ...(left > 0 ? [{ day: messages.later, mails: left }] : []),
  ];
}

const sum = (shares: readonly DayShare[]): number => shares.reduce((all, { mails }) => all + mails, 0);

/** Says when the mails of a closed group leave, or asks whether they shall leave nevertheless. */
function timeCheck(text: string, isHeld: boolean, isNow: boolean): Check {
  if (isHeld) return { kind: 'waiting', text };
  // Another text than that of the usual hours needs a tick of its own.
  const ask = { rule: 'outside_hours', key: `outside_hours ${text}`, label: messages.tick(isNow) } as const;
  return { kind: 'warning', text: messages.closed(text, isNow), ask };
}

/** Returns how many mails the account, and the sender of an order, may still send today; null: no limit. */
function leftToday({ limits, now }: GroupRules, profileId: number): number | null {
  const own = limits.find(({ profile_id }) => profile_id === profileId);
  const left = [now.left_today, own === undefined ? null : Math.max(0, own.limit - own.used)];
  const known = left.filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
}
