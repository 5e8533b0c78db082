import { useEffect, useState } from 'react';
import { isNarrowScreen } from '#web/lib/narrow-screen.ts';
import { useSession } from '#web/lib/session-store.ts';
import { setFilterOpen, useFilter } from './filter-state.ts';

/** The localStorage key that records, for each account, that the filters were shown open once. */
const seenKey = (accountId: number): string => `kaitaku-filters-seen-${accountId}`;

function isSeen(key: string): boolean {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

function storeSeen(key: string): void {
  try {
    localStorage.setItem(key, '1');
  } catch {
    // A browser without storage opens the filters at each login.
  }
}

/**
 * Whether the filters are open.
 * They are open at the first visit on a wide screen, then as left in this session, and closed in later sessions.
 */
export function useFilterOpen(): [boolean, (open: boolean) => void] {
  const stored = useFilter((state) => state.is_filter_open);
  const [key] = useState(() => seenKey(useSession.getState().current_user?.id ?? 0));
  const [atFirst] = useState(() => !isNarrowScreen() && !isSeen(key));
  useEffect(() => {
    if (!atFirst) return;
    storeSeen(key);
    // A reload does not count as a later session.
    useFilter.setState(({ is_filter_open }) => ({ is_filter_open: is_filter_open ?? true }));
  }, [atFirst, key]);
  return [stored ?? atFirst, setFilterOpen];
}
