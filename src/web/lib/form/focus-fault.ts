import { type RefObject, useEffect, useReducer, useRef } from 'react';

/**
 * Focuses the first faulty field, and scrolls it to the middle of the window.
 * At the edges messages and sticky elements could cover it.
 * @returns whether there is one
 */
export function focusFault(part: HTMLElement | null): boolean {
  const field = part?.querySelector<HTMLElement>('[aria-invalid]');
  field?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: 'center' });
  return field !== null && field !== undefined;
}

/**
 * Returns a function that focuses the first faulty field of a part once it is rendered.
 * In a busy browser the errors may be rendered later than the answer's handler ends.
 */
export function useFaultFocus(part: RefObject<HTMLElement | null>): () => void {
  const isWanted = useRef(false);
  const [, render] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (isWanted.current) isWanted.current = !focusFault(part.current);
  });
  return () => {
    isWanted.current = true;
    render();
  };
}
