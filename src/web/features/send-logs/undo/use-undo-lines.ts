import { useSyncExternalStore } from 'react';
import type { Run } from '#contract/sending/runs.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { awaitsStart } from '../run/run-state.ts';
import { type UndoState, undoState } from './undo-state.ts';

/** More would cover the page. The others follow as these begin. */
const MAX_LINES = 3;

export interface UndoLine {
  readonly run: Run;
  readonly state: UndoState;
}

/** Returns the runs that can be taken back whole, those that begin first before the others. */
export function useUndoLines(known: readonly Run[]): readonly UndoLine[] {
  const runs = known.filter(awaitsStart);
  // The second that has begun counts as gone.
  const now = useSecond(runs.length > 0) * 1000 + 1;
  return runs
    .flatMap((run) => {
      const state = undoState(run, now);
      return state === null ? [] : { run, state };
    })
    .toSorted((a, b) => (a.run.starts_at ?? '').localeCompare(b.run.starts_at ?? '') || a.run.id - b.run.id)
    .slice(0, MAX_LINES);
}

const second = (): number => Math.floor(serverNow() / 1000);

/** Calls back as each second of the server's clock begins. */
function eachSecond(onSecond: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    timer = setTimeout(
      () => {
        onSecond();
        wait();
      },
      1000 - (serverNow() % 1000),
    );
  };
  wait();
  return () => clearTimeout(timer);
}

const never = () => () => {};

/** Returns the second of the server's clock, and renders anew with each one. */
const useSecond = (isWanted: boolean): number => useSyncExternalStore(isWanted ? eachSecond : never, second);
