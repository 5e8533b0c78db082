import { type RefObject, useEffect } from 'react';

const ROWS_A_TURN = 20;
/** For browsers that do not tell when they are idle (Safari). */
const whenIdle = globalThis.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 50));

/**
 * Lays out the rows far from view too, while the browser has nothing else to do: Chromium tells a screen reader nothing of what
 * it has skipped (content-visibility).
 *
 * @param rows what the table's body shows; undefined while some are still to be drawn
 */
export function useReadableRows(body: RefObject<HTMLTableSectionElement | null>, rows: readonly unknown[] | undefined) {
  useEffect(() => {
    if (rows === undefined) return undefined;
    let isOver = false;
    const layOut = () => {
      const skipped = [...(body.current?.rows ?? [])].filter(({ dataset }) => dataset.laidOut === undefined);
      if (isOver || skipped.length === 0) return;
      for (const { dataset } of skipped.slice(0, ROWS_A_TURN)) dataset.laidOut = '';
      whenIdle(layOut);
    };
    whenIdle(layOut);
    return () => {
      isOver = true;
    };
  }, [body, rows]);
}
