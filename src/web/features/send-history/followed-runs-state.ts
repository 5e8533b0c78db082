import { sessionSlice } from '#web/lib/session-store.ts';

/** A run whose progress the dock shows. */
export interface FollowedRun {
  readonly id: number;
  /** Its strip was closed before its end. */
  readonly isClosed: boolean;
  readonly hasEnded: boolean;
}

interface FollowedRunsState {
  /** The newest first. Stored, so that a reload shows their strips again. */
  readonly followed_runs: readonly FollowedRun[];
}

export const useFollowedRuns = sessionSlice<FollowedRunsState>(({ followed_runs = [] }) => ({ followed_runs }));

function setFollowed(change: (runs: readonly FollowedRun[]) => readonly FollowedRun[]): void {
  useFollowedRuns.setState(({ followed_runs }) => ({ followed_runs: change(followed_runs) }));
}

/** Follows a run that was started in this tab, and drops the strips of ended runs. */
export function followOwnRun(id: number): void {
  setFollowed((runs) => [
    { id, isClosed: false, hasEnded: false },
    ...runs.filter((run) => run.id !== id && !run.hasEnded),
  ]);
}

/** Follows open runs that were started in another tab or by a reservation. */
export function followOpenRuns(ids: readonly number[]): void {
  setFollowed((runs) => {
    const added = ids.filter((id) => runs.every((run) => run.id !== id));
    const found = added.map((id) => ({ id, isClosed: false, hasEnded: false }));
    return [...found, ...runs].sort((a, b) => b.id - a.id);
  });
}

/** Changes a followed run, and drops the runs that have ended and whose strips are closed. */
export function updateFollowedRun(id: number, change: Partial<Omit<FollowedRun, 'id'>>): void {
  setFollowed((runs) =>
    runs
      .map((run) => (run.id === id ? { ...run, ...change } : run))
      .filter(({ isClosed, hasEnded }) => !(isClosed && hasEnded)),
  );
}

export function unfollowRun(id: number): void {
  setFollowed((runs) => runs.filter((run) => run.id !== id));
}
