import IconClock from '@tabler/icons-react/dist/esm/icons/IconClock.mjs';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { call } from '#web/lib/api/call.ts';
import { asSentence } from '#web/lib/phrases.ts';
import { useNavigate } from '#web/lib/router/use-router.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { unfollowRun } from '../followed/followed-runs-state.ts';
import { reloadRun } from '../run/reload-run.ts';
import { useMayAct } from '../run/use-may-act.ts';
import type { UndoLine } from '../undo/use-undo-lines.ts';
import { UNDO_MESSAGES } from '../undo/words.ts';
import { tellGivenBack } from './tell-given-back.ts';
import styles from './undo-lines.module.css';
import { UNDO_LINE_MESSAGES as messages } from './words.ts';

/** A line for each run that can be taken back. Nothing depends on it: the server counts, and it alone sends. */
export default function UndoLines({ lines }: { readonly lines: readonly UndoLine[] }) {
  return (
    <div className={styles.lines} data-undo-lines>
      {lines.map(({ run, state }) => (
        <Line key={run.id} run={run} state={state} />
      ))}
    </div>
  );
}

function Line({ run, state }: UndoLine) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const text = useId();
  const mayAct = useMayAct(run);

  async function takeBack(): Promise<void> {
    setBusy(true);
    const body = { update_info: { state: 'cancelled' as const } };
    const answer = await call('steerRun', { params: { id: String(run.id) }, body });
    setBusy(false);
    if (!answer.ok) {
      if (answer.status !== 401) toast('warning', answer.message);
    } else {
      const { cancelled = 0, left = 0 } = answer.data;
      tellGivenBack(answer.data, navigate, [left === 0 ? UNDO_MESSAGES.done : messages.partly(cancelled, left)]);
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
      {mayAct ? (
        <Button variant="outline" busy={busy} aria-describedby={text} onClick={() => void takeBack()}>
          {messages.button}
        </Button>
      ) : null}
    </section>
  );
}

function StateText({ run, state }: UndoLine) {
  if (state.kind === 'waiting') return messages.waiting;
  if (state.kind === 'planned') return messages.planned(sentenceTime(state.at), run.queued);
  return (
    <>
      <strong>{asSentence(messages.counting(run.queued))}</strong>
      <span className={styles.seconds}>{messages.secondsLeft(state.seconds)}</span>
    </>
  );
}
