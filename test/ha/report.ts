/** The effect of a loss. Times are in seconds. */
export interface Row {
  readonly name: string;
  /** From the loss to the first 200 of the new /primary (in place: an answer); null: the leader stays. */
  readonly leads: number | null;
  /** From there to the next mail; null: the leader stays. */
  readonly goesOn: number | null;
  /** The longest time without a mail. */
  readonly silent: number;
  /** The number of `web`'s answers that were 503 with Retry-After. */
  readonly away: number;
  /** How the old leader came back. */
  readonly back: string;
  /** The machine's load when sending continued. */
  readonly load: number;
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

const HEAD = ['loss', 'next leader, s', 'then sending goes on, s', 'without mails, s', '503', 'old leader', 'load'];

/** Returns a Markdown table. */
export function table(rows: readonly Row[]): string {
  const fixed = (seconds: number | null) => seconds?.toFixed(1) ?? '–';
  const cells = rows.map((row) => [
    row.name,
    fixed(row.leads),
    fixed(row.goesOn),
    fixed(row.silent),
    String(row.away),
    row.back,
    row.load.toFixed(0),
  ]);
  return [HEAD, HEAD.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |\n`).join('');
}
