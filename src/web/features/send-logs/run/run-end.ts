import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Run } from '#contract/sending/runs.ts';
import { isWorthRetrying } from '#web/lib/api/query-client.ts';
import type { ToastType } from '#web/lib/screen/toast.ts';
import { UNDO_MESSAGES } from '../undo/words.ts';
import { RUN_CHIP_MESSAGES } from '../words.ts';
import { type RunOrigin, runOrigin } from './view-run-origin.ts';

const messages = RUN_CHIP_MESSAGES;

/** The outcome of a run, with its texts. */
export interface RunEnd {
  /** `stopped`: a user cancelled it. `ended`: unknown whether a user cancelled it. */
  readonly kind: 'done' | 'failed' | 'stopped' | 'ended';
  readonly type: ToastType;
  readonly text: string;
}

/** Returns the numbers of a run's mails by outcome. */
export const countsText = ({ sent, failed, unknown, cancelled }: Run): string =>
  messages.counts(sent, failed, unknown) + (cancelled > 0 ? messages.cancelled(cancelled) : '');

/**
 * Whether a user stopped the run before all mails were sent.
 * Other cancelled mails were left out because of their companies; the run's origin counts only these.
 */
export const wasStopped = ({ cancelled }: Run, { left_out }: RunOrigin): boolean =>
  cancelled > left_out.reduce((sum, { count }) => sum + count, 0);

/** @param origin undefined: it could not be loaded */
function endOf(run: Run, origin: RunOrigin | undefined): RunEnd {
  if (run.undone === 1) return { kind: 'stopped', type: 'info', text: UNDO_MESSAGES.done };
  if (run.cancelled > 0) {
    if (origin === undefined) return { kind: 'ended', type: 'info', text: `${messages.ended}\n${countsText(run)}` };
    if (wasStopped(run, origin)) return { kind: 'stopped', type: 'info', text: messages.stopped(run.sent) };
  }
  // A run without any sent mail has failed.
  if (run.sent === 0 && run.unknown === 0)
    return { kind: 'failed', type: 'warning', text: `${messages.failed}\n${countsText(run)}` };
  return { kind: 'done', type: 'success', text: `${messages.done}\n${countsText(run)}` };
}

/** How often the origin is requested: for half a minute, if the server cannot answer. */
const ORIGIN_TRIES = 5;

/** Returns the outcome of a run; null while it is open, or until it is known who cancelled its mails. */
export function useRunEnd(run: Run | undefined): RunEnd | null {
  const asks = run?.finished === true && run.undone === 0 && run.cancelled > 0;
  const { data, isPlaceholderData, isPending } = useQuery({
    ...runOrigin(run ?? { id: 0, cancelled: 0 }),
    enabled: asks,
    retry: (failures, error) => failures < ORIGIN_TRIES && isWorthRetrying(error),
  });
  const isKnown = !asks || !(isPending || isPlaceholderData);
  return useMemo(
    () => (run?.finished && isKnown ? endOf(run, asks ? data : undefined) : null),
    [run, isKnown, asks, data],
  );
}
