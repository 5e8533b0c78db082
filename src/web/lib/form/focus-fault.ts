import { type RefObject, useEffect, useReducer, useRef } from 'react';

/**
 * Focuses the first faulty field, and scrolls it to the middle of the window.
 * Messages and sticky elements cover the edges.
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
 * An answer's faults may render later than its handler ends, by as much as a busy browser needs.
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
