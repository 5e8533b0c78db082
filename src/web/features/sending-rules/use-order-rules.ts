import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Check } from '#web/components/check-list.tsx';
import { type GroupRules, groupRules, useTimeNote } from '#web/lib/group-rules.ts';
import { serverNow } from '#web/lib/server-clock.ts';
import { ORDER_RULE_MESSAGES as messages } from './words.ts';

interface RuledOrder {
  /** undefined: a test, which no rule concerns. */
  readonly groupId: number | undefined;
  readonly profileId: number;
  readonly mails: number;
  /** Epoch milliseconds of a reservation; null: at once. */
  readonly sendAt: number | null;
}

/**
 * Returns what a dialog says of a real order: of a time at which its group is closed, and what is left for another day.
 * The order never waits for it.
 *
 * @returns hasOwnHours: the group's rules judge the time, and the usual hours of offices say nothing of it
 */
export function useOrderRules({ groupId, profileId, mails, sendAt }: RuledOrder): {
  hasOwnHours: boolean;
  checks: readonly Check[];
} {
  const [now] = useState(serverNow);
  const { text, isHeld, isOwn } = useTimeNote(groupId, sendAt ?? now);
  const { data } = useQuery({ ...groupRules(groupId ?? 0), enabled: groupId !== undefined, meta: { quiet: true } });
  if (groupId === undefined || data === undefined) return { hasOwnHours: false, checks: [] };
  const isClosed = isOwn && text !== null;
  // Of a later day it says nothing.
  const left = sendAt !== null || isHeld ? null : leftToday(data, profileId);
  return {
    hasOwnHours: isOwn,
    checks: [
      ...(isClosed ? [timeCheck(text, isHeld, sendAt === null)] : []),
      ...(left !== null && left < mails
        ? [{ kind: 'waiting', text: messages.limited(left, mails - left) } as const]
        : []),
    ],
  };
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
