import { create } from 'zustand';

export type Overlay = 'palette' | 'senders' | 'keys' | 'add-company';

/**
 * The dialog of the frame that is open: the palette, the palette of senders to choose from, or the list of keys. The
 * list of companies has the dialog that adds one.
 */
export const useOverlay = create<{ readonly overlay: Overlay | null }>()(() => ({ overlay: null }));

export const openOverlay = (overlay: Overlay): void => useOverlay.setState({ overlay });
export const closeOverlay = (): void => useOverlay.setState({ overlay: null });
