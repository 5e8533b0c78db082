import { useQueries } from '@tanstack/react-query';
import type { Run } from '#contract/sending.ts';
import { sendLog } from '#web/lib/send-log.ts';
import { useFollowedRuns } from './followed-runs-state.ts';
import { runState } from './run-state.ts';
import { HISTORY_MESSAGES } from './words.ts';

/** A run that stands still, without a person having paused it. */
export interface StoppedRun {
  readonly id: number;
  /** The cause, as a text. */
  readonly cause: string;
}

/** The states in which somebody must act, the worst first. */
const STOPPED_STATES = ['rewound', 'refused', 'transport'] as const;

function worstOf(runs: readonly (Run | undefined)[]): StoppedRun | null {
  for (const state of STOPPED_STATES) {
    const run = runs.find((known) => known !== undefined && runState(known) === state);
    if (run !== undefined) return { id: run.id, cause: HISTORY_MESSAGES.stopCauses[state] };
  }
  return null;
}

/** Returns the worst stopped run of those that the dock follows, which asks for them anyway. */
export function useStoppedRun(): StoppedRun | null {
  const followed = useFollowedRuns((state) => state.followed_runs);
  const open = followed.filter(({ hasEnded }) => !hasEnded);
  return useQueries({
    queries: open.map(({ id }) => sendLog(id)),
    combine: (answers) => worstOf(answers.map(({ data }) => data)),
  });
}
