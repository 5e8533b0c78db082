import type { Run } from '#contract/sending/runs.ts';
import { parseDateTime } from '#domain/time/tokyo-time.ts';
import { awaitsStart, runState } from '../run/run-state.ts';

/** What the line of a run that can be taken back says of its start. */
export type UndoState =
  | { readonly kind: 'counting'; readonly seconds: number }
  | { readonly kind: 'planned'; readonly at: string }
  | { readonly kind: 'waiting' };

/**
 * Returns what holds a run that can be taken back whole; null: it begins, or has begun.
 * @param now epoch milliseconds
 */
export function undoState(run: Run, now: number): UndoState | null {
  if (!awaitsStart(run)) return null;
  if (run.put_off_until !== null) return { kind: 'planned', at: run.put_off_until };
  const left = (parseDateTime(run.starts_at ?? '') ?? 0) - now;
  if (left > 0) return { kind: 'counting', seconds: Math.floor(left / 1000) };
  return runState(run) === 'waiting' ? null : { kind: 'waiting' };
}
