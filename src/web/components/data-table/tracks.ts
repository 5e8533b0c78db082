import type { CSSProperties } from 'react';

/** The tracks of the rows' grid: the columns' widths, and their shares of a wider table. */
const tracks = (widths: readonly number[]) => ({
  '--widths': widths.map((width) => `${width}px`).join(' '),
  '--shares': widths.map((width) => `${width}fr`).join(' '),
  '--table-width': `${widths.reduce((sum, width) => sum + width, 0)}px`,
});

/** Returns the tracks as custom properties, which the cards of a phone ignore. */
export const trackStyle = (widths: readonly number[]): CSSProperties => tracks(widths) as CSSProperties;

/** Returns the present widths of a table, in px. */
export const widthsOf = (table: HTMLElement): number[] =>
  table.style.getPropertyValue('--widths').split(' ').map(Number.parseFloat);

/** Sets the widths without React. */
export function setWidths(table: HTMLElement, widths: readonly number[]): void {
  for (const [name, value] of Object.entries(tracks(widths))) table.style.setProperty(name, value);
}
