import { useSyncExternalStore } from 'react';

const NARROW = '(width <= 640px)';

/**
 * Whether the screen has room for one column, as on a phone.
 * The style sheets use `@media (width <= 640px)` and `(width > 640px)`. `min-width: 641px` would leave out the widths
 * between, which a zoomed page can have.
 */
export const isNarrowScreen = (): boolean => matchMedia(NARROW).matches;

function subscribe(onChange: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** The same, followed while the window changes. */
export const useNarrowScreen = (): boolean => useSyncExternalStore(subscribe, isNarrowScreen);
