import { useCallback, useSyncExternalStore } from 'react';

const NARROW = '(width <= 640px)';

/**
 * Whether the screen fits only one column, as on a phone.
 * The style sheets use `@media (width <= 640px)` and `(width > 640px)`. `min-width: 641px` would skip fractional
 * widths, which a zoomed page can have.
 */
export const isNarrowScreen = (): boolean => matchMedia(NARROW).matches;

/** Whether a media query matches, updated while the window changes. */
export function useMedia(media: string): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const query = matchMedia(media);
      query.addEventListener('change', onChange);
      return () => query.removeEventListener('change', onChange);
    },
    [media],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(media).matches);
}

/** Returns isNarrowScreen, updated while the window changes. */
export const useNarrowScreen = (): boolean => useMedia(NARROW);
