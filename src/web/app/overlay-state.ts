import { create } from 'zustand';

export type Overlay = 'palette' | 'senders' | 'keys' | 'add-company';

/**
 * The open dialog of the frame: the palette, the palette of senders, or the list of keys. The dialog that adds a
 * company belongs to the list of companies.
 */
export const useOverlay = create<{ readonly overlay: Overlay | null }>()(() => ({ overlay: null }));

export const openOverlay = (overlay: Overlay): void => useOverlay.setState({ overlay });
export const closeOverlay = (): void => useOverlay.setState({ overlay: null });
