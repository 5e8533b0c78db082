import type { PointerEvent } from 'react';
import { fittingWidth } from './column.ts';
import styles from './resize-handle.module.css';
import { setWidths, widthsOf } from './tracks.ts';

interface Props {
  /** The index of the column in the table. */
  readonly index: number;
  readonly onWidth: (width: number) => void;
}

/**
 * Resizes a column by dragging the right edge of its header.
 * During the drag it changes the column's width without React, so that 200 rows do not render again at each pixel. The
 * column dialog does the same by keyboard.
 */
export function ResizeHandle({ index, onWidth }: Props) {
  function start(event: PointerEvent<HTMLSpanElement>): void {
    const handle = event.currentTarget;
    const table = handle.closest('table');
    if (event.button !== 0 || !table) return;
    event.preventDefault();
    const from = event.clientX;
    const widths = widthsOf(table);
    const before = widths[index] ?? Number.NaN;
    let width = before;

    const move = ({ clientX }: globalThis.PointerEvent): void => {
      width = fittingWidth(before + clientX - from);
      setWidths(table, widths.with(index, width));
    };
    const stopped = new AbortController();
    const end = (): void => {
      stopped.abort();
      if (width !== before) onWidth(width);
    };
    handle.setPointerCapture(event.pointerId);
    handle.addEventListener('pointermove', move, stopped);
    handle.addEventListener('pointerup', end, stopped);
    handle.addEventListener('pointercancel', end, stopped);
  }

  return <span aria-hidden className={styles.resize} onPointerDown={start} />;
}
