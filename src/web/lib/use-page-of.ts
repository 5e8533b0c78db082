import { useEffect, useEffectEvent, useState } from 'react';
import { useLocation } from 'react-router';

/**
 * The page of a list whose number the address holds. A navigation (a filter, a tab, the way back) brings the page along with the list; where
 * the session alone makes it another list (group, template, page size), it starts at its first page and the address follows.
 *
 * @param list what is asked for; undefined: not known yet
 * @param held the number in the address
 */
export function usePageOf(list: string | undefined, held: number, hold: (page: number) => void): number {
  const { key } = useLocation();
  const [heldOf, setHeldOf] = useState({ list, key });
  const isOther = list !== undefined && heldOf.list !== undefined && heldOf.list !== list && heldOf.key === key;
  const isLeft = isOther && held !== 1;
  if (list !== undefined && (heldOf.list !== list || heldOf.key !== key) && !isLeft) setHeldOf({ list, key });
  // Once, however often it is drawn until the address has followed: each time would begin that anew.
  const begin = useEffectEvent(() => hold(1));
  useEffect(() => {
    if (isLeft) begin();
  }, [isLeft]);
  return isOther ? 1 : held;
}
