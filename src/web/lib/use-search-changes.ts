import { useEffect, useRef } from 'react';
import { useSearchParams } from './router/use-router.ts';
import { changedSearch } from './search-params.ts';

type Change = (values: Readonly<Record<string, string | number | undefined>>, replace?: boolean) => void;

/**
 * Reads and changes the parameters of the address. '' and undefined remove a value.
 * The second of two changes in a row builds on the first, before the address has changed. The address follows later,
 * one change after the other: one that is not the last must not take back those that came after it.
 */
export function useSearchChanges(): { readonly params: URLSearchParams; readonly change: Change } {
  const [params, setParams] = useSearchParams();
  const latest = useRef(params);
  /** What the address will be, the next one first. */
  const awaited = useRef<readonly string[]>([]);
  useEffect(() => {
    const reached = awaited.current.indexOf(params.toString());
    // Another link or the back button has changed the address.
    awaited.current = reached === -1 ? [] : awaited.current.slice(reached + 1);
    if (awaited.current.length === 0) latest.current = params;
  }, [params]);

  function change(values: Parameters<Change>[0], replace = true): void {
    latest.current = changedSearch(latest.current, values);
    awaited.current = [...awaited.current, latest.current.toString()];
    setParams(latest.current, { replace });
  }

  return { params, change };
}
