import { createContext } from 'react';

/** Places of the frame that the screens behind the login fill. */
export interface ShellPlaces {
  /** The place of the strip below the header. */
  readonly stripPlace: HTMLElement | null;
  /** The place of the first steps below it. */
  readonly firstStepsPlace: HTMLElement | null;
  /** The place of the runs in the header. */
  readonly runPlace: HTMLElement | null;
  /** Their place below the header. */
  readonly runLinePlace: HTMLElement | null;
  /** The place of the bell in the header. */
  readonly bellPlace: HTMLElement | null;
  /** The place of the number of reservations in the navigation. */
  readonly countPlace: HTMLElement | null;
}

export const ShellPlacesContext = createContext<ShellPlaces>({
  stripPlace: null,
  firstStepsPlace: null,
  runPlace: null,
  runLinePlace: null,
  bellPlace: null,
  countPlace: null,
});
