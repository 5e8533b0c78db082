import { useCallback, useRef } from 'react';

/** The pause of typing in ms after which it searches. */
export const SEARCH_PAUSE_MS = 200;

/**
 * Calls `act` once typing has paused, but not during an IME composition.
 *
 * @param act reads the typed text itself, because it is the `act` of an older render
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
      // Some IMEs do not end their composition on blur, and nothing can be sent until the text is applied.
      onBlur: endComposition,
    },
  };
}
