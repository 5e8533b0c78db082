import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState, useSyncExternalStore } from 'react';
import type { Run } from '#contract/sending/runs.ts';
import { Button } from '#web/components/button.tsx';
import { call } from '#web/lib/api/call.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { asSentence } from '#web/lib/phrases.ts';
import { useNavigate } from '#web/lib/router/use-router.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { spokenMinute } from '#web/lib/with-weekday.ts';
import { unfollowRun } from '../followed/followed-runs-state.ts';
import { reloadRun } from '../run/reload-run.ts';
import { awaitsStart } from '../run/run-state.ts';
import { tellGivenBack } from './tell-given-back.ts';
import styles from './undo-lines.module.css';
import { type UndoState, undoState } from './undo-state.ts';
import { UNDO_MESSAGES as messages } from './words.ts';

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

/** A line for each run that can be taken back. Nothing depends on it: the server counts, and it alone sends. */
export const UndoLines = ({ lines }: { readonly lines: readonly UndoLine[] }) =>
  lines.length === 0 ? null : (
    <div className={styles.lines} data-undo-lines>
      {lines.map(({ run, state }) => (
        <Line key={run.id} run={run} state={state} />
      ))}
    </div>
  );

function Line({ run, state }: UndoLine) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const text = useId();

  async function takeBack(): Promise<void> {
    setBusy(true);
    const body = { update_info: { state: 'cancelled' as const } };
    const answer = await call('steerRun', { params: { id: String(run.id) }, body });
    setBusy(false);
    if (!answer.ok) {
      if (answer.status !== 401) toast('warning', answer.message);
    } else {
      const { cancelled = 0, left = 0 } = answer.data;
      tellGivenBack(answer.data, navigate, [left === 0 ? messages.done : messages.partly(cancelled, left)]);
      // Its end is told by this, not by the chip too.
      unfollowRun(run.id);
      document.getElementById('main')?.focus({ preventScroll: true });
    }
    reloadRun(client, run.id);
  }

  return (
    <section className={styles.line} aria-labelledby={text}>
      <IconClock size={18} aria-hidden />
      <p id={text} className={styles.text}>
        <StateText run={run} state={state} />
      </p>
      <span className={styles.subject} title={run.subject}>
        {run.subject}
      </span>
      <Button variant="outline" busy={busy} aria-describedby={text} onClick={() => void takeBack()}>
        {messages.button}
      </Button>
    </section>
  );
}

function StateText({ run, state }: UndoLine) {
  if (state.kind === 'waiting') return messages.waiting;
  if (state.kind === 'planned') return messages.planned(spokenMinute(state.at), run.queued);
  return (
    <>
      <strong>{asSentence(messages.counting(run.queued))}</strong>
      <span className={styles.seconds}>{messages.secondsLeft(state.seconds)}</span>
    </>
  );
}
