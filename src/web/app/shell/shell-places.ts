import { createContext } from 'react';

/** Places of the frame that the screens behind the login fill. */
export interface ShellPlaces {
  /** The place of the strip below the header. */
  readonly stripPlace: HTMLElement | null;
  /** The place of the bell in the header. */
  readonly bellPlace: HTMLElement | null;
}

export const ShellPlacesContext = createContext<ShellPlaces>({ stripPlace: null, bellPlace: null });
