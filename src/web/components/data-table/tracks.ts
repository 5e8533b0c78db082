import type { CSSProperties } from 'react';

/** The tracks of the rows' grid: the columns' widths, and their shares of a wider table. */
const tracks = (widths: readonly number[], growth: readonly number[] = []) => ({
  '--widths': widths.map((width) => `${width}px`).join(' '),
  '--shares': shares(widths, growth).join(' '),
  '--table-width': `${widths.reduce((sum, width) => sum + width, 0)}px`,
});

/** A column that grows takes more of a wider table; none gets less than its width, or than its part on paper. */
function shares(widths: readonly number[], growth: readonly number[]): string[] {
  const sum = widths.reduce((total, width) => total + width, 0);
  return widths.map((width, place) => {
    const least = `min(${width}px, ${((100 * width) / sum).toFixed(2)}%)`;
    return `minmax(${least}, ${width * (growth[place] ?? 1)}fr)`;
  });
}

/** Returns the tracks as custom properties, which the cards of a phone ignore. */
export const trackStyle = (widths: readonly number[], growth: readonly number[]): CSSProperties =>
  tracks(widths, growth) as CSSProperties;

/** Returns the present widths of a table, in px. */
export const widthsOf = (table: HTMLElement): number[] =>
  table.style.getPropertyValue('--widths').split(' ').map(Number.parseFloat);

/** Sets the widths without React. */
export function setWidths(table: HTMLElement, widths: readonly number[]): void {
  for (const [name, value] of Object.entries(tracks(widths))) table.style.setProperty(name, value);
}
