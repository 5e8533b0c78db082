import type { Run } from '#contract/sending/runs.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { inBrackets } from '#web/lib/phrases.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { HISTORY_MESSAGES } from '../words.ts';

const { states, noEstimate, waitsUntil } = HISTORY_MESSAGES;

export type RunState = keyof typeof states;

/** Whether a run can be undone: it has an undo window, and sending has not begun, even long after the window. */
export const awaitsStart = ({ finished, starts_at, queued, cancelled, targets }: Run): boolean =>
  !finished && starts_at !== null && queued + cancelled === targets;

export function runState(run: Run): RunState {
  const {
    finished,
    undone,
    paused_by,
    database_rewound,
    put_off_by,
    mailbox_wait,
    limited_until,
    transport_paused_until,
  } = run;
  if (finished) return undone === 1 ? 'undone' : 'finished';
  if (paused_by === 'sender_refused') return 'refused';
  if (paused_by === 'policy_bounces') return 'policy';
  if (paused_by === 'restored') return database_rewound ? 'rewound' : 'restored';
  if (paused_by !== null) return 'paused';
  if (database_rewound) return 'rewound';
  if (put_off_by !== null) return put_off_by === 'limit' ? 'dayLimit' : 'putOff';
  if (mailbox_wait !== null) return 'mailbox';
  if (limited_until !== null) return 'limited';
  if (transport_paused_until !== null) return 'transport';
  return awaitsStart(run) ? 'waiting' : 'sending';
}

/** Returns the label of a run's state. */
export const runStateText = (run: Run): string => states[runState(run)];

/** Whether the run is sending mails: it is neither waiting nor paused. */
export const isSending = (run: Run): boolean => runState(run) === 'sending';

/** Returns what a run is doing or waiting for, or that it has ended: a toast shows the outcome. */
export const runTitle = (run: Run | undefined): string =>
  run === undefined || isSending(run) ? DATA_MESSAGES.mail.sending : runStateText(run);

/** Whether a run waits for its hours or for another day, which needs no action. */
export const isPutOff = (run: Run): boolean => ['putOff', 'dayLimit'].includes(runState(run));

/** Returns until when and why a run waits for its hours or another day; '' if it does not. */
export function putOffText(run: Run): string {
  const { put_off_until, put_off_reason } = run;
  if (put_off_until === null || !isPutOff(run)) return '';
  return waitsUntil(sentenceTime(put_off_until)) + (put_off_reason === null ? '' : inBrackets(put_off_reason));
}

/** The number of mails without an outcome. */
export const openMails = ({ queued, sending }: Run): number => queued + sending;

/** The number of mails with an outcome. */
export const decidedMails = (run: Run): number => run.targets - openMails(run);

/** Returns the estimated end of a run; '' if it has ended, needs an action, or only waits. */
export function estimatedEnd({ finished, paused_by, database_rewound, put_off_until, estimated_end_at }: Run): string {
  if (finished || paused_by !== null || database_rewound) return '';
  if (estimated_end_at !== null) return sentenceTime(estimated_end_at);
  return put_off_until === null ? noEstimate : '';
}
