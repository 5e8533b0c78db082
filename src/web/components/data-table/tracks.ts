import type { CSSProperties } from 'react';

/** Returns the grid's tracks: the columns' widths, and their shares of a wider table. */
const tracks = (widths: readonly number[], growth: readonly number[] = []) => ({
  '--widths': widths.map((width) => `${width}px`).join(' '),
  '--shares': shares(widths, growth).join(' '),
  '--table-width': `${widths.reduce((sum, width) => sum + width, 0)}px`,
});

/** Returns each column's share of a wider table. No column gets less than its width, or on paper less than its part. */
function shares(widths: readonly number[], growth: readonly number[]): string[] {
  const sum = widths.reduce((total, width) => total + width, 0);
  return widths.map((width, place) => {
    const least = `min(${width}px, ${((100 * width) / sum).toFixed(2)}%)`;
    return `minmax(${least}, ${width * (growth[place] ?? 1)}fr)`;
  });
}

/** Returns the tracks as CSS custom properties, which the cards of phones ignore. */
export const trackStyle = (widths: readonly number[], growth: readonly number[]): CSSProperties =>
  tracks(widths, growth) as CSSProperties;

/** Returns the current widths of a table's columns, in px. */
export const widthsOf = (table: HTMLElement): number[] =>
  table.style.getPropertyValue('--widths').split(' ').map(Number.parseFloat);

/** Sets the widths without a React render. */
export function setWidths(table: HTMLElement, widths: readonly number[]): void {
  for (const [name, value] of Object.entries(tracks(widths))) table.style.setProperty(name, value);
}
