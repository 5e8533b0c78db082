import { createContext } from 'react';

/** Elements of the frame that the screens behind the login fill. */
export interface ShellPlaces {
  /** For the strip below the header. */
  readonly stripPlace: HTMLElement | null;
  /** For the first steps, below the strip. */
  readonly firstStepsPlace: HTMLElement | null;
  /** For the runs in the header. */
  readonly runPlace: HTMLElement | null;
  /** For the runs' lines below the header. */
  readonly runLinePlace: HTMLElement | null;
  /** For the bell in the header. */
  readonly bellPlace: HTMLElement | null;
  /** For the number of reservations in the navigation. */
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
