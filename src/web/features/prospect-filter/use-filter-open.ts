import { useEffect, useState } from 'react';
import { isNarrowScreen } from '#web/lib/narrow-screen.ts';
import { useSession } from '#web/lib/session-store.ts';
import { setFilterOpen, useFilter } from './filter-state.ts';

/** One for each account of this browser, which outlives the session: that its owner has seen the filters open. */
const seenKey = (accountId: number): string => `kaitaku-filters-seen-${accountId}`;

function isSeen(key: string): boolean {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

function keepSeen(key: string): void {
  try {
    localStorage.setItem(key, '1');
  } catch {
    // A browser that keeps nothing opens the filters at each login.
  }
}

/** Whether the filters are open: at first on a wide screen, later as they were left in this session, and closed in a new one. */
export function useFilterOpen(): [boolean, (open: boolean) => void] {
  const stored = useFilter((state) => state.is_filter_open);
  const [key] = useState(() => seenKey(useSession.getState().current_user?.id ?? 0));
  const [atFirst] = useState(() => !isNarrowScreen() && !isSeen(key));
  useEffect(() => {
    if (!atFirst) return;
    keepSeen(key);
    // A reload is the same visit.
    useFilter.setState(({ is_filter_open }) => ({ is_filter_open: is_filter_open ?? true }));
  }, [atFirst, key]);
  return [stored ?? atFirst, setFilterOpen];
}
