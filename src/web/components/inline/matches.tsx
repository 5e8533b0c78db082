import { createContext, use, useEffect } from 'react';
import { createPortal } from 'react-dom';
import { create } from 'zustand';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';

/** The element in which a screen shows the number of matches; null: show it where this is rendered. */
export const MatchesPlace = createContext<HTMLElement | null>(null);

/** The number of matches of the shown list, for what stands outside of it; undefined: not counted. */
export const useShownTotal = create<{ readonly total: number | undefined }>()(() => ({ total: undefined }));

/** Keeps the total of the shown list for useShownTotal. @param isOld it is that of an earlier filter */
export function useTotalOfList(total: number | undefined, isOld: boolean): void {
  useEffect(() => {
    useShownTotal.setState({ total: isOld ? undefined : total });
    return () => useShownTotal.setState({ total: undefined });
  }, [total, isOld]);
}

interface Props {
  /** undefined: not counted. */
  readonly total: number | undefined;
  /** Counting failed. If false, an unknown total is being counted. */
  readonly failed?: boolean;
}

/** Shows how many prospects the filters match, and announces changes. */
export function Matches({ total, failed = false }: Props) {
  const { total: matches, counting, uncounted } = DATA_MESSAGES.matches;
  const place = use(MatchesPlace);
  const text = <span role="status">{total !== undefined ? matches(total) : failed ? uncounted : counting}</span>;
  return place === null ? text : createPortal(text, place);
}
