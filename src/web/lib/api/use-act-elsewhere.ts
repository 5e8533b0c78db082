import { useEffect, useEffectEvent, useRef } from 'react';

/** The events of each kind. A click comes after its press. */
const ACTS = { press: ['pointerdown'], act: ['click', 'input'] } as const;

/**
 * Calls `onElsewhere` after each press, or each click, outside of an element and of the dialogs opened from it.
 *
 * @param kind `act`: only after the click, so that closing something moves nothing away from the pointer
 * @returns the props of the element
 */
export function useActElsewhere(kind: keyof typeof ACTS | null, onElsewhere: () => void) {
  const isInside = useRef(false);
  const begin = useEffectEvent(() => {
    isInside.current = false;
  });
  const end = useEffectEvent(() => {
    if (!isInside.current) onElsewhere();
  });
  useEffect(() => {
    if (kind === null) return;
    const left = new AbortController();
    const { signal } = left;
    for (const name of ACTS[kind]) {
      document.addEventListener(name, () => begin(), { signal, capture: true });
      document.addEventListener(name, () => end(), { signal });
    }
    return () => left.abort();
  }, [kind]);
  // React's events, because they also pass from a dialog to the component that opened it.
  const stay = () => {
    isInside.current = true;
  };
  return { onPointerDownCapture: stay, onClickCapture: stay, onInputCapture: stay };
}
