import { useState } from 'react';
import { companies } from '#web/lib/phrases.ts';
import { endListSource, useAttackList } from '../attack-list-state.ts';
import type { Order } from '../use-order.ts';
import { ATTACK_LIST_MESSAGES } from '../words.ts';
import { fill, type Part } from './order-sentence.ts';
import { ORDER_MESSAGES } from './words.ts';

/** What the button of the attack list does. */
export interface OrderAct {
  readonly label: string;
  /** Says what the button does. */
  readonly sentence: readonly Part[];
  /** The targets that get mail; undefined: not known yet, or said by the label. */
  readonly count?: number | undefined;
  readonly isFilled: boolean;
  readonly isBusy: boolean;
  readonly onPress: () => void;
}

const { buttons, help } = ORDER_MESSAGES;

/**
 * Returns the act of the button; null: none. After an accepted real order one more press must not send to the next
 * companies: the button first prepares them, or ends the list of chosen companies. Any change of the list ends that.
 * @param taken the real orders accepted so far
 * @param list what makes the list, besides what the session has
 */
export function useOrderAct(order: Order, taken: number, list: unknown, onOrder: () => void): OrderAct | null {
  const { settings, draft, targets, text } = order;
  const aside = useAttackList((state) => state.left_aside);
  const { sentence } = text;
  const { isAfter, end } = useIsAfter(taken, JSON.stringify([settings, draft, targets.source, aside, list]));
  // If the preview fails, the list shows how to load it again.
  if (!isAfter || targets.hasFailed) {
    const { isOutdated } = targets;
    return {
      label: text.button,
      sentence,
      count: targets.targets?.length || undefined,
      isFilled: text.canOrder,
      isBusy: isOutdated,
      onPress: onOrder,
    };
  }
  if (targets.source?.companies !== undefined) {
    return {
      label: ATTACK_LIST_MESSAGES.endChosen,
      sentence: [],
      isFilled: false,
      isBusy: false,
      onPress: endListSource,
    };
  }
  const next = targets.isOutdated ? undefined : targets.targets?.length;
  if (next === 0) return null;
  const waiting = { isFilled: false, onPress: end };
  if (next === undefined) return { ...waiting, label: buttons.next.unknown, sentence, isBusy: true };
  const number: Part = { text: companies(next), to: 'limit' };
  return { ...waiting, label: buttons.next.known(next), sentence: fill(help.next, { number }), isBusy: false };
}

/** Returns whether an order was taken since the last change. */
function useIsAfter(taken: number, shown: string) {
  const [state, setState] = useState({ taken, shown, isAfter: false });
  if (state.taken !== taken) setState({ taken, shown, isAfter: true });
  else if (state.shown !== shown) setState({ taken, shown, isAfter: false });
  return { isAfter: state.isAfter, end: () => setState({ taken, shown, isAfter: false }) };
}
