import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { followPresses } from '#web/lib/form/presses.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { type NearCards, nearCards } from './near-cards.ts';

/** The gap below a card in px, as in cards.module.css. */
const GAP = 8;
/** Selects text fields: a card with the focused field must stay rendered, so that its text is kept. */
const TEXT_FIELD = 'textarea, select, input:not([type="checkbox"])';

const NONE: NearCards = { from: 0, to: 0, above: 0, below: 0 };
const allOf = (count: number): NearCards => ({ ...NONE, to: count });
const isSame = (one: NearCards, other: NearCards): boolean =>
  one.from === other.from && one.to === other.to && one.above === other.above && one.below === other.below;

/**
 * Returns which cards of a list to render on a phone: those near the window, and all on paper.
 * On a wide screen these are all rows.
 * @param body holds the rendered cards
 * @param view identifies the rows
 */
export function useNearCards(body: RefObject<HTMLElement | null>, count: number, view: string): NearCards {
  const isNarrow = useNarrowScreen();
  const [isOnPaper, setOnPaper] = useState(false);
  const [near, setNear] = useState(NONE);
  const measured = useRef<{ view: string; heights: number[] }>({ view, heights: [] });
  /** True between a press and its click: measuring cards in that time would move the pressed element. */
  const isPressed = useRef(false);

  function follow(): void {
    const list = body.current;
    if (list === null) return;
    if (measured.current.view !== view) measured.current = { view, heights: [] };
    const { heights } = measured.current;
    for (const [place, card] of [...list.children].entries()) {
      if (near.from + place < count) heights[near.from + place] = card.getBoundingClientRect().height + GAP;
    }
    const { top } = list.getBoundingClientRect();
    const kept = list.querySelector(TEXT_FIELD) === null ? undefined : near;
    const next = nearCards(count, { top, windowHeight: innerHeight, heights }, kept);
    if (!isSame(near, next)) setNear(next);
  }
  // Within the frame of the scroll: later the user would see a gap, or press a button that moves.
  const onMove = useEffectEvent(() => {
    if (!isPressed.current) flushSync(follow);
  });
  const onRelease = useEffectEvent(() => {
    isPressed.current = false;
    onMove();
  });

  // Runs before the paint, so that the cards of the previous position are never shown.
  useLayoutEffect(() => {
    if (isNarrow && !isOnPaper && !isPressed.current) follow();
  });
  useEffect(() => {
    if (!isNarrow) return undefined;
    const listeners = new AbortController();
    // Lists scroll with the page or in a dialog: a capturing listener receives both.
    const options = { capture: true, passive: true, signal: listeners.signal };
    addEventListener('scroll', () => onMove(), options);
    addEventListener('resize', () => onMove(), options);
    const press = () => {
      isPressed.current = true;
    };
    followPresses(press, () => onRelease(), listeners.signal);
    addEventListener('beforeprint', () => flushSync(() => setOnPaper(true)), options);
    addEventListener('afterprint', () => setOnPaper(false), options);
    return () => listeners.abort();
  }, [isNarrow]);
  return isNarrow && !isOnPaper ? near : allOf(count);
}
