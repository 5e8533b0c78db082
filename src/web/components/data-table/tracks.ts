import type { CSSProperties } from 'react';

/** What the rows' grid is made by: the columns' widths, and as shares of the table's, which may be wider. */
const tracks = (widths: readonly number[]) => ({
  '--widths': widths.map((width) => `${width}px`).join(' '),
  '--shares': widths.map((width) => `${width}fr`).join(' '),
  '--table-width': `${widths.reduce((sum, width) => sum + width, 0)}px`,
});

/** Properties of our own, which the cards of a phone need not follow. */
export const trackStyle = (widths: readonly number[]): CSSProperties => tracks(widths) as CSSProperties;

/** The widths that a table has now, in px. */
export const widthsOf = (table: HTMLElement): number[] =>
  table.style.getPropertyValue('--widths').split(' ').map(Number.parseFloat);

/** Past React. */
export function setWidths(table: HTMLElement, widths: readonly number[]): void {
  for (const [name, value] of Object.entries(tracks(widths))) table.style.setProperty(name, value);
}
