import { useEffect, useState } from 'react';

/**
 * The element that contains the live regions of components/toasts.tsx and send-logs/followed/run-chip.tsx, and the
 * time from which screen readers know it: they announce only texts added later. It is moved into the top dialog
 * (components/dialog.tsx), because the page below an open dialog is not announced.
 */
export const toastRoot = { element: document.createElement('div'), knownAt: 0 };

/** Returns the text of a live region. After a dialog closes it is delayed until the region is known. */
export function useAnnounced<T>(value: T): T {
  const [announced, setAnnounced] = useState(value);
  // Runs after the render with the text, because that render may close the dialog.
  useEffect(() => {
    const show = () => setAnnounced(value);
    const wait = toastRoot.knownAt - performance.now();
    if (wait <= 0) return show();
    const timer = setTimeout(show, wait);
    return () => clearTimeout(timer);
  }, [value]);
  return announced;
}
