import { useQuery } from '@tanstack/react-query';
import type { Check } from '#web/components/check-list.tsx';
import { minuteWithWeekday } from '#web/lib/with-weekday.ts';
import { groupRules } from './rules-query.ts';
import { ORDER_RULE_MESSAGES as messages } from './words.ts';

/**
 * Returns what a dialog says of a real order that is sent now: when it begins, and what is left for another day. The
 * order never waits for it.
 *
 * @param groupId undefined: a test, or a reservation
 * @param mails of the order
 * @returns isHeld: they wait for the next open time, so that nobody has to decide about the present one
 */
export function useOrderRules(
  groupId: number | undefined,
  mails: number,
): { isHeld: boolean; checks: readonly Check[] } {
  const isAsked = groupId !== undefined;
  const { data } = useQuery({ ...groupRules(groupId ?? 0), enabled: isAsked, meta: { quiet: true } });
  if (!isAsked || data === undefined) return { isHeld: false, checks: [] };
  const { open, reason, next_open_at, left_today } = data.now;
  const isHeld = data.outside === 'hold' && open === 0 && next_open_at !== null;
  const held = isHeld ? messages.held(reason ?? '', minuteWithWeekday(next_open_at)) : null;
  // Of a later day it says nothing.
  const limited =
    held === null && left_today !== null && left_today < mails
      ? messages.limited(left_today, mails - left_today)
      : null;
  return {
    isHeld,
    checks: [held, limited].flatMap((text) => (text === null ? [] : [{ kind: 'waiting', text } as const])),
  };
}
