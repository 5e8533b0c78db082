/**
 * What components/toasts.tsx renders into, and when a toast added to it will be announced: a screen reader must know
 * the region before. It stands within the top dialog, which moves it (components/dialog.tsx).
 */
export const toastRoot = { element: document.createElement('div'), knownAt: 0 };
