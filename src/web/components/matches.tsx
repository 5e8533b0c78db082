import { WORDS } from '#web/lib/words.ts';

interface Props {
  /** undefined: still counting. */
  readonly total: number | undefined;
}

/** How many prospects the filters match, told again whenever it changes. */
export function Matches({ total }: Props) {
  return <span role="status">{total === undefined ? WORDS.tabs.counting : WORDS.tabs.matches(total)}</span>;
}
