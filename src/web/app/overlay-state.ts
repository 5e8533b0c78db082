import { create } from 'zustand';

export type Overlay = 'palette' | 'senders' | 'keys';

/** The dialog of the frame that is open: the palette, the palette of senders to choose from, or the list of keys. */
export const useOverlay = create<{ readonly overlay: Overlay | null }>()(() => ({ overlay: null }));

export const openOverlay = (overlay: Overlay): void => useOverlay.setState({ overlay });
export const closeOverlay = (): void => useOverlay.setState({ overlay: null });
