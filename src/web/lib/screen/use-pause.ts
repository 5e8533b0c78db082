import { useCallback, useRef } from 'react';

/** How long typing pauses before it searches. */
export const SEARCH_PAUSE_MS = 200;

/**
 * Calls `act` once typing has paused, and never while an input method composes.
 *
 * @param act reads what was typed by itself: it is that of the render that scheduled it
 */
export function usePause(act: () => void, ms: number) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const composing = useRef(false);
  const pause = useRef(ms);
  const cancel = useCallback(() => clearTimeout(timer.current), []);

  function schedule(): void {
    cancel();
    if (!composing.current) timer.current = setTimeout(act, pause.current);
  }

  function endComposition(): void {
    if (!composing.current) return;
    composing.current = false;
    schedule();
  }

  return {
    schedule,
    cancel,
    setPause: (next: number): void => {
      pause.current = next;
    },
    composition: {
      onCompositionStart: () => {
        composing.current = true;
        cancel();
      },
      onCompositionEnd: endComposition,
      // Not every input method ends its composition on blur, and nothing can be sent until the text is applied.
      onBlur: endComposition,
    },
  };
}
