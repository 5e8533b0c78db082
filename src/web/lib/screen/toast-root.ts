import { useEffect, useState } from 'react';

/**
 * What components/toasts.tsx and the runs of the header (send-logs/followed/run-chip.tsx) render their live regions
 * into, and when a text added to it will be announced: a screen reader must know the region before. It stands within
 * the top dialog, which moves it (components/dialog.tsx); below an open dialog the page is silent.
 */
export const toastRoot = { element: document.createElement('div'), knownAt: 0 };

/** Returns what a live region is to say. What comes as a dialog closes waits until it will be announced. */
export function useAnnounced<T>(value: T): T {
  const [announced, setAnnounced] = useState(value);
  // After the render that brings it, since that may be the one that closes the dialog.
  useEffect(() => {
    const show = () => setAnnounced(value);
    const wait = toastRoot.knownAt - performance.now();
    if (wait <= 0) return show();
    const timer = setTimeout(show, wait);
    return () => clearTimeout(timer);
  }, [value]);
  return announced;
}
