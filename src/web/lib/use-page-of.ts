import { useEffect, useEffectEvent, useState } from 'react';
import { useLocation } from './router/use-router.ts';

/**
 * Returns the page of a list whose number is in the address.
 * A navigation (filter, tab, back button) brings its page along. When the session alone changes the list (group,
 * sender, page size), the list starts at its first page and the address follows.
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
  // Once, however often the list renders before the address has changed.
  const begin = useEffectEvent(() => hold(1));
  useEffect(() => {
    if (isLeft) begin();
  }, [isLeft]);
  return isOther ? 1 : held;
}
