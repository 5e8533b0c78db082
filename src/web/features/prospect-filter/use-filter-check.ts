import { type RefObject, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { ProspectFilter } from '#contract/prospect.ts';
import { leadToFault } from '#web/lib/lead-to-fault.ts';
import { toast } from '#web/lib/toast.ts';
import { typedState } from './filter-draft.ts';
import { setFilterOpen, useFilter } from './filter-state.ts';
import { FILTER_MESSAGES } from './words.ts';

export interface FilterCheck {
  /** For the filter panel, whose faulty field gets the focus. */
  readonly panel: RefObject<HTMLElement | null>;
  /** The typed filter is valid and not applied yet. */
  readonly isWaiting: boolean;
  /** Reports a faulty filter and focuses its field. Returns whether there is one. */
  readonly refuseFaulty: () => boolean;
}

/**
 * Checks the typed filter before mail is ordered.
 * A faulty condition was meant to narrow the list, so without it too many companies would get mail.
 *
 * @param filter the filter in the address
 */
export function useFilterCheck(filter: ProspectFilter): FilterCheck {
  const panel = useRef<HTMLElement>(null);
  const typed = useFilter((state) => state.typed_filter);
  const state = typedState(typed?.fields, filter);

  function refuseFaulty(): boolean {
    if (state !== 'faulty') return false;
    toast('warning', FILTER_MESSAGES.faulty);
    flushSync(() => setFilterOpen(true));
    leadToFault(panel.current);
    return true;
  }

  return { panel, isWaiting: state === 'waiting', refuseFaulty };
}
