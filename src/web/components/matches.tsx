import { createContext, use } from 'react';
import { createPortal } from 'react-dom';
import { COMMON_MESSAGES } from '#web/lib/words.ts';

/** Where a screen shows the number of matches, whichever of its parts counts them; null: where they are counted. */
export const MatchesPlace = createContext<HTMLElement | null>(null);

interface Props {
  /** undefined: not known. */
  readonly total: number | undefined;
  /** It could not be counted; otherwise what is not known is still being counted. */
  readonly failed?: boolean;
}

/** How many prospects the filters match, told again whenever it changes. */
export function Matches({ total, failed = false }: Props) {
  const { total: matches, counting, uncounted } = COMMON_MESSAGES.matches;
  const place = use(MatchesPlace);
  const told = <span role="status">{total !== undefined ? matches(total) : failed ? uncounted : counting}</span>;
  return place === null ? told : createPortal(told, place);
}
