import { create } from 'zustand';

/** How long in ms the notice of an end is awaited. A later one tells of another end of the run. */
const AWAITED_MS = 60_000;

/** The runs whose end a toast of this tab has told, and whose notice has not been found yet. */
export const useToldEnds = create<{ readonly told: readonly number[] }>()(() => ({ told: [] }));

export function forgetToldEnd(id: number): void {
  useToldEnds.setState(({ told }) => ({ told: told.filter((other) => other !== id) }));
}

/** Notes that a toast of this tab has told the end of a run: its notice is then read. */
export function noteToldEnd(id: number): void {
  useToldEnds.setState(({ told }) => ({ told: [...told, id] }));
  setTimeout(() => forgetToldEnd(id), AWAITED_MS);
}
