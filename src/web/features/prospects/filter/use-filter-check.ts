import type { RefObject } from 'react';
import { flushSync } from 'react-dom';
import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { focusFault } from '#web/lib/form/focus-fault.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { typedState } from './filter-draft.ts';
import { setFilterOpen, useFilter } from './filter-state.ts';
import { FILTER_MESSAGES } from './words.ts';

export interface FilterCheck {
  /** Whether the typed filter is valid and not applied yet. */
  readonly isWaiting: boolean;
  /** Reports an invalid filter and focuses its field. @returns whether there is one */
  readonly blockFaulty: () => boolean;
}

/**
 * Checks the typed filter before mail is ordered.
 * Without the invalid condition, which should narrow the list, too many companies would get mail.
 *
 * @param panel the filter panel, whose faulty field gets the focus
 * @param filter the filter in the address
 */
export function useFilterCheck(panel: RefObject<HTMLElement | null>, filter: ProspectFilter): FilterCheck {
  const typed = useFilter((state) => state.typed_filter);
  const state = typedState(typed?.fields, filter);

  function blockFaulty(): boolean {
    if (state !== 'faulty') return false;
    toast('warning', FILTER_MESSAGES.faulty);
    flushSync(() => setFilterOpen(true));
    focusFault(panel.current);
    return true;
  }

  return { isWaiting: state === 'waiting', blockFaulty };
}
