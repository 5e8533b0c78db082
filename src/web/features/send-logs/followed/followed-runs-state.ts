import { sessionSlice } from '#web/lib/session/session-store.ts';

/** A run whose progress the header shows. */
export interface FollowedRun {
  readonly id: number;
  readonly hasEnded: boolean;
  /** Set for a run that was ordered in this tab, which therefore tells its end. */
  readonly isOwn?: true;
  /** Set for an own run that cannot be undone. Without it, the run's data decide. */
  readonly hasBegun?: true;
}

interface FollowedRunsState {
  /** Newest first. Stored, so that a reload shows them again. */
  readonly followed_runs: readonly FollowedRun[];
  /** Whether the panel of runs is open in the page, which it pushes down, or above it. A reload closes it. */
  readonly run_panel: 'in' | 'over' | null;
}

export const useFollowedRuns = sessionSlice<FollowedRunsState>(({ followed_runs = [] }) => ({
  followed_runs,
  run_panel: null,
}));

function setFollowed(change: (runs: readonly FollowedRun[]) => readonly FollowedRun[]): void {
  useFollowedRuns.setState(({ followed_runs: before, run_panel }) => {
    const followed_runs = change(before);
    return { followed_runs, run_panel: followed_runs.length === 0 ? null : run_panel };
  });
}

export function openRunPanel(run_panel: FollowedRunsState['run_panel']): void {
  useFollowedRuns.setState({ run_panel });
}

/** Returns the runs in the panel's order: open ones first, then the newest. */
export const leadingFirst = (runs: readonly FollowedRun[]): readonly FollowedRun[] =>
  runs.toSorted((a, b) => Number(a.hasEnded) - Number(b.hasEnded) || b.id - a.id);

/** Follows a run that begins at once in this tab, opens the panel in the page, and removes ended runs. */
export function followOwnRun(id: number): void {
  setFollowed((runs) => [
    { id, hasEnded: false, isOwn: true, hasBegun: true },
    ...runs.filter((run) => run.id !== id && !run.hasEnded),
  ]);
  openRunPanel('in');
}

const addFollowed = (added: readonly FollowedRun[]): void =>
  setFollowed((runs) =>
    [...added.filter(({ id }) => runs.every((run) => run.id !== id)), ...runs].toSorted((a, b) => b.id - a.id),
  );

/** Follows a run that was ordered in this tab and can be undone at first. */
export const followUndoableRun = (id: number): void => addFollowed([{ id, hasEnded: false, isOwn: true }]);

/** Follows open runs that were started in another tab or by a reservation. */
export const followOpenRuns = (ids: readonly number[]): void => addFollowed(ids.map((id) => ({ id, hasEnded: false })));

export function markRunEnded(id: number, hasEnded: boolean): void {
  setFollowed((runs) => runs.map((run) => (run.id === id ? { ...run, hasEnded } : run)));
}

export function unfollowRun(id: number): void {
  setFollowed((runs) => runs.filter((run) => run.id !== id));
}
