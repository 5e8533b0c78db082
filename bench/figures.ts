/** Formats figures for the benchmarks. */

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Formats milliseconds. */
export const ms = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0));

export function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
