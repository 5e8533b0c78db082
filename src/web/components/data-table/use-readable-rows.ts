import { type RefObject, useEffect } from 'react';

const ROWS_PER_TURN = 20;
/** Safari has no requestIdleCallback. */
const whenIdle = globalThis.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 50));

/**
 * Lays out the rows far from view too, while the browser is idle.
 * Chromium omits rows skipped by content-visibility from the accessibility tree.
 *
 * @param rows the rows of the table's body; undefined while some are not rendered yet
 */
export function useReadableRows(body: RefObject<HTMLTableSectionElement | null>, rows: readonly unknown[] | undefined) {
  useEffect(() => {
    if (rows === undefined) return undefined;
    let isOver = false;
    const layOut = () => {
      const skipped = [...(body.current?.rows ?? [])].filter(({ dataset }) => dataset.laidOut === undefined);
      if (isOver || skipped.length === 0) return;
      for (const { dataset } of skipped.slice(0, ROWS_PER_TURN)) dataset.laidOut = '';
      whenIdle(layOut);
    };
    whenIdle(layOut);
    return () => {
      isOver = true;
    };
  }, [body, rows]);
}
