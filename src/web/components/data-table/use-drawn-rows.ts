import { useDeferredValue, useState } from 'react';
import { isNarrowScreen } from '#web/lib/narrow-screen.ts';

/** The lowest height of a row on a wide screen in px, as in app.css. Higher rows only draw more of them at once. */
const ROW_HEIGHT = 31;

/**
 * Returns how many rows to render now.
 * Of a view that has just arrived, first those that fit on the screen. Once they are painted, all others follow as a
 * deferred render, which keys and clicks can interrupt. `--rows` reserves the place of the others. Of cards only those
 * near the window render (useNearCards).
 *
 * @param view identifies the rows; while `busy`, those of the previous view are shown
 */
export function useDrawnRows(count: number, view: string, busy: boolean): number {
  const [arrived, setArrived] = useState<string | null>(null);
  if (!busy && arrived !== view) setArrived(view);
  const drawn = useDeferredValue(arrived, null);
  if (drawn === arrived || isNarrowScreen()) return count;
  const seen = Math.ceil(innerHeight / ROW_HEIGHT);
  // A second render does not pay off for a few rows.
  return count > 2 * seen ? seen : count;
}
