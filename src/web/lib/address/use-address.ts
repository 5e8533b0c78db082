import { useCallback, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { useLocation, useRouter } from '../router/use-router.ts';
import { type Changes, changedQuery, type Params, readQuery } from './params.ts';

/**
 * Reads and changes the parameters of a screen, for reloads, links and the back button.
 * A change replaces the history entry by default, and adds to earlier changes.
 */
export function useAddress<P extends Params>(params: P) {
  const router = useRouter();
  const { search } = useLocation();
  const values = useMemo(() => readQuery(params, search), [params, search]);
  const change = useCallback(
    (changes: Changes<P>, { push = false } = {}) => {
      const { pathname, search: now } = router.state.location;
      void router.navigate(pathname + changedQuery(params, now, changes), { replace: !push });
    },
    [params, router],
  );
  return [values, change] as const;
}

/** Returns a function that says whether a path is that of the current screen, ignoring its parameters. */
export function useIsHere(): (path: string) => boolean {
  const location = useLocation();
  return (path) => path === location.pathname || path === location.pathname + location.search;
}

/**
 * Returns the page number of a list from the address.
 * A navigation (filter, tab, back button) includes its page. If only the session changes the list (group, sender, page
 * size), it starts at its first page, and the address follows.
 *
 * @param list identifies the list; undefined: not known yet
 * @param held the number in the address
 * @param hold writes a number to the address
 */
export function usePageOf(list: string | undefined, held: number, hold: (page: number) => void): number {
  const { key } = useLocation();
  const [heldOf, setHeldOf] = useState({ list, key });
  const isOther = list !== undefined && heldOf.list !== undefined && heldOf.list !== list && heldOf.key === key;
  const isLeft = isOther && held !== 1;
  if (list !== undefined && (heldOf.list !== list || heldOf.key !== key) && !isLeft) setHeldOf({ list, key });
  // Called once, even if the list renders again before the address has changed.
  const begin = useEffectEvent(() => hold(1));
  useEffect(() => {
    if (isLeft) begin();
  }, [isLeft]);
  return isOther ? 1 : held;
}
