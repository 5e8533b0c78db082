import { useQueries, useQuery } from '@tanstack/react-query';
import type { Run } from '#contract/sending/runs.ts';
import { sendLog } from '#web/lib/data/send-log.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { useFollowedRuns } from './followed/followed-runs-state.ts';
import { runState } from './run/run-state.ts';
import { latestRuns } from './view-send-logs.ts';
import { HISTORY_MESSAGES } from './words.ts';

/** Sending that has stopped although no user paused it. */
export interface StoppedSending {
  /** The run whose screen has the details; undefined: no run is open. */
  readonly id: number | undefined;
  /** The cause, as a text. */
  readonly cause: string;
}

/** The states that need an action, the most severe first. */
const STOPPED_STATES = ['rewound', 'refused', 'policy', 'restored', 'mailbox', 'limited', 'transport'] as const;

function worstOf(runs: readonly (Run | undefined)[]): StoppedSending | null {
  for (const state of STOPPED_STATES) {
    const run = runs.find((known) => known !== undefined && runState(known) === state);
    if (run !== undefined) return { id: run.id, cause: causeOf(run, state) };
  }
  return null;
}

function causeOf({ limited_until }: Run, state: (typeof STOPPED_STATES)[number]): string {
  const { stopCauses } = HISTORY_MESSAGES;
  return state === 'limited' ? stopCauses.limited(sentenceTime(limited_until ?? '')) : stopCauses[state];
}

/**
 * Returns what stops sending: the most severe stopped run among those that the header has loaded.
 * A database that was set back stops reservations too, even if no run is open.
 */
export function useStoppedSending(): StoppedSending | null {
  const { data: latest } = useQuery(latestRuns);
  const followed = useFollowedRuns((state) => state.followed_runs);
  const open = followed.filter(({ hasEnded }) => !hasEnded);
  const stopped = useQueries({
    queries: open.map(({ id }) => sendLog(id)),
    combine: (answers) => worstOf(answers.map(({ data }) => data)),
  });
  if (stopped === null && latest?.database_rewound === true) {
    return { id: undefined, cause: HISTORY_MESSAGES.stopCauses.rewound };
  }
  return stopped;
}
