import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { fittingWidth, MAX_WIDTH, MIN_WIDTH } from './column.ts';
import styles from './resize-handle.module.css';
import { HEADER_ROOM, textWidth, trackProperties } from './tracks.ts';
import { EDGE_MESSAGES } from './words.ts';

interface ResizeHandleProps {
  /** The header of the column. */
  readonly name: string;
  /** The index of the column in the table. */
  readonly index: number;
  readonly width: number;
  readonly onWidth: (width: number) => void;
}

/** The distance that an arrow key moves an edge, in px. */
const STEP = 10;

/**
 * Resizes a column at the right edge of its header.
 * Dragging moves the edge, and a double click fits the column to its content. By keyboard Enter takes the edge, ← and →
 * move it, Home fits the column; Enter, Escape or a moved focus releases the edge.
 * A drag sets the width without React, so that 200 rows do not render again at each pixel.
 */
export function ResizeHandle({ name, index, width, onWidth }: ResizeHandleProps) {
  const [isTaken, setTaken] = useState(false);

  function fitContent(handle: HTMLElement): void {
    const table = handle.closest('table');
    if (table) onWidth(fittingWidth(Math.max(laidOutWidth(table, index), textWidth(name) + HEADER_ROOM)));
  }

  /** Returns whether the edge uses a key. */
  function press(key: string, handle: HTMLElement): boolean {
    if (key === 'Enter') setTaken(!isTaken);
    else if (!isTaken) return false;
    else if (key === 'Escape') setTaken(false);
    else if (key === 'ArrowLeft') onWidth(fittingWidth(width - STEP));
    else if (key === 'ArrowRight') onWidth(fittingWidth(width + STEP));
    else if (key === 'Home') fitContent(handle);
    else return false;
    return true;
  }

  function onKeyDown(event: KeyboardEvent<HTMLSpanElement>): void {
    const { key, currentTarget } = event;
    if (!press(key, currentTarget)) return;
    event.preventDefault();
    requestAnimationFrame(() => currentTarget.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
  }

  function drag(event: PointerEvent<HTMLSpanElement>): void {
    const handle = event.currentTarget;
    const table = handle.closest('table');
    if (event.button !== 0 || !table) return;
    event.preventDefault();
    const from = event.clientX;
    const widths = widthsOf(table);
    const before = widths[index] ?? Number.NaN;
    let dragged = before;

    const move = ({ clientX }: globalThis.PointerEvent): void => {
      dragged = fittingWidth(before + clientX - from);
      setWidths(table, widths.with(index, dragged));
    };
    const stopped = new AbortController();
    const end = (): void => {
      stopped.abort();
      if (dragged !== before) onWidth(dragged);
    };
    handle.setPointerCapture(event.pointerId);
    handle.addEventListener('pointermove', move, stopped);
    handle.addEventListener('pointerup', end, stopped);
    handle.addEventListener('pointercancel', end, stopped);
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr is a static line, this edge moves
    <span
      role="separator"
      tabIndex={-1}
      className={styles.resize}
      aria-orientation="vertical"
      aria-valuemin={Math.min(MIN_WIDTH, width)}
      aria-valuemax={MAX_WIDTH}
      aria-valuenow={width}
      // It has no label, which would become a part of the header's name.
      aria-valuetext={EDGE_MESSAGES[isTaken ? 'takenAt' : 'at'](name, width)}
      data-taken={isTaken || undefined}
      onKeyDown={onKeyDown}
      onBlur={() => setTaken(false)}
      onPointerDown={drag}
      onDoubleClick={(event) => fitContent(event.currentTarget)}
    />
  );
}

/** Returns the current widths of a table's columns, in px. */
export const widthsOf = (table: HTMLElement): number[] =>
  table.style.getPropertyValue('--widths').split(' ').map(Number.parseFloat);

/** Measures the longest content or header of a column, in px. Lays out all rows. */
function laidOutWidth(table: HTMLTableElement, index: number): number {
  const widths = table.style.getPropertyValue('--widths');
  table.style.setProperty('--widths', widths.split(' ').with(index, 'max-content').join(' '));
  const cells = [...table.rows].map((row) => row.cells[index]?.getBoundingClientRect().width ?? 0);
  table.style.setProperty('--widths', widths);
  return Math.ceil(Math.max(...cells));
}

/** Sets the widths without a React render. */
function setWidths(table: HTMLElement, widths: readonly number[]): void {
  const tracks = widths.map((least) => ({ least, share: 0 }));
  for (const [name, value] of Object.entries(trackProperties(tracks))) table.style.setProperty(name, value);
}
