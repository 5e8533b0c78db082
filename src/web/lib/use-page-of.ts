import { useEffect, useEffectEvent, useState } from 'react';

/**
 * The page of a list whose number is kept elsewhere (the address, the session) than what makes the list another one: order, filters,
 * template, size of a page. Another list starts at its first page in the same moment; the number that is kept follows.
 *
 * @param list what is asked for; undefined: not known yet
 * @param held the number that is kept; at first, so after a reload, it is of the list that is there
 */
export function usePageOf(list: string | undefined, held: number, hold: (page: number) => void): number {
  const [heldOf, setHeldOf] = useState(list);
  const isOther = heldOf !== undefined && heldOf !== list;
  const isLeft = isOther && held !== 1;
  if (heldOf !== list && !isLeft) setHeldOf(list);
  // Once, however often it is drawn until the address has followed: each time would begin that anew.
  const begin = useEffectEvent(() => hold(1));
  useEffect(() => {
    if (isLeft) begin();
  }, [isLeft]);
  return isOther ? 1 : held;
}
