import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';

const MARGIN = 8;

function placeBeside({ style, offsetWidth, offsetHeight }: HTMLElement, anchor: HTMLElement): void {
  const { top, bottom, left } = anchor.getBoundingClientRect();
  const lowest = innerHeight - offsetHeight - MARGIN;
  const above = top - offsetHeight - 4;
  const y = bottom + 4 <= lowest ? bottom + 4 : above >= MARGIN ? above : lowest;
  style.top = `${Math.max(MARGIN, y)}px`;
  style.left = `${Math.max(MARGIN, Math.min(left, document.documentElement.clientWidth - offsetWidth - MARGIN))}px`;
}

/**
 * Shows a popover in the top layer, below its anchor or, without room, above it. It follows the anchor.
 * @param anchor undefined: the panel stays in the page
 */
export function usePlaceBeside(
  popover: RefObject<HTMLElement | null>,
  anchor: RefObject<HTMLElement | null> | undefined,
): void {
  const place = useEffectEvent(() => {
    if (popover.current !== null && anchor?.current) placeBeside(popover.current, anchor.current);
  });
  const isThere = useRef(false);
  useLayoutEffect(() => {
    if (anchor !== undefined && !isThere.current) popover.current?.showPopover();
    isThere.current = true;
    // Content of another height may need another place: a month of six weeks is higher than one of five.
    place();
  });
  useEffect(() => {
    const left = new AbortController();
    const options = { signal: left.signal, capture: true, passive: true };
    addEventListener('scroll', () => place(), options);
    addEventListener('resize', () => place(), options);
    return () => left.abort();
  }, []);
}
