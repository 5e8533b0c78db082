import { type RefObject, useState } from 'react';
import { flushSync } from 'react-dom';
import type { BulkAct } from '#contract/companies/companies-bulk.ts';
import type { BulkOrder } from './change-prospects.ts';
import { clearSelection, useSelection } from './selection-state.ts';
import { conditionOf, type ProspectQuery } from './view-prospects.ts';

interface Asked {
  readonly order: BulkOrder;
  readonly chosen: number;
}

/**
 * Manages the confirmation of an action on the chosen companies.
 *
 * @param total all companies of the list
 * @param root contains the table, which takes the focus when the action bar disappears
 */
export function useBulk(query: ProspectQuery, total: number, root: RefObject<HTMLElement | null>) {
  const [asked, setAsked] = useState<Asked | null>(null);

  function ask(act: BulkAct): void {
    const { ids, isAll } = useSelection.getState();
    const whom = isAll ? { condition: conditionOf(query) } : { ids: [...ids] };
    const order = { act, sender_group_id: Number(query.sender_group_id), ...whom };
    setAsked({ order, chosen: isAll ? total : ids.size });
  }

  function clear(): void {
    flushSync(() => {
      setAsked(null);
      clearSelection();
    });
    root.current?.querySelector<HTMLElement>('[role="grid"] [tabindex="0"]')?.focus({ preventScroll: true });
  }

  return { asked, ask, clear, close: (isDone: boolean) => (isDone ? clear() : setAsked(null)) };
}
