import { create } from 'zustand';

type Overlay = 'palette' | 'keys';

/** The dialog of the frame that is open: the palette or the list of keys. */
export const useOverlay = create<{ readonly overlay: Overlay | null }>()(() => ({ overlay: null }));

export const openOverlay = (overlay: Overlay): void => useOverlay.setState({ overlay });
export const closeOverlay = (): void => useOverlay.setState({ overlay: null });
