import { useDeferredValue, useState } from 'react';
import { isNarrowScreen } from '#web/lib/narrow-screen.ts';

/** Of a row on a wide screen, in px, as rows.module.css has it. */
const ROW_HEIGHT = 31;

/**
 * How many rows to draw now: of a view that has just arrived first those that fit on the screen, and when they are painted all, in
 * slices in which keys and clicks are answered. The place of the others is kept (`--rows`); not so that of cards, whose heights
 * nobody knows: they are drawn at once.
 *
 * @param view names the rows; while `busy`, those of the view before are still shown
 */
export function useDrawnRows(count: number, view: string, busy: boolean): number {
  const [arrived, setArrived] = useState<string | null>(null);
  if (!busy && arrived !== view) setArrived(view);
  const drawn = useDeferredValue(arrived, null);
  if (drawn === arrived || isNarrowScreen()) return count;
  const seen = Math.ceil(innerHeight / ROW_HEIGHT);
  // A few more are not worth a second turn.
  return count > 2 * seen ? seen : count;
}
