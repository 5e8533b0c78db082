import '@mantine/core/styles/Progress.css';
import { Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId } from 'react';
import type { Run } from '#contract/sending.ts';
import { ApiError } from '#web/lib/query-client.ts';
import { useRunEvents } from '#web/lib/run-events.ts';
import { sendLog } from '#web/lib/send-log.ts';
import { removeRunningSendLog } from '#web/lib/session-store.ts';
import { toast } from '#web/lib/toast.ts';
import { WORDS } from '#web/lib/words.ts';
import styles from './run-progress.module.css';

const { sending } = WORDS;

/** What came of a run; nothing sent is no success. */
function tellEnd({ sent, failed, unknown, cancelled }: Run): void {
  const counts = sending.counts(sent, failed, unknown) + (cancelled > 0 ? sending.cancelled(cancelled) : '');
  const nothing = sent === 0 && unknown === 0;
  toast(nothing ? 'warning' : 'success', `${nothing ? sending.failed : sending.done}\n${counts}`);
}

interface Props {
  readonly id: number;
  readonly onFinished: (id: number) => void;
  /** Leads to more about the run. */
  readonly children?: ReactNode;
}

/** The bar of one run, until it has ended; leaving or reloading the page stops nothing. */
export function RunProgress({ id, onFinished, children }: Props) {
  const labelId = useId();
  useRunEvents();
  const { data: run, error } = useQuery(sendLog(id));
  const gone = error instanceof ApiError && error.failure.status === 404;

  useEffect(() => {
    if (run?.finished) tellEnd(run);
    if (!run?.finished && !gone) return;
    removeRunningSendLog(id);
    onFinished(id);
  }, [run, gone, id, onFinished]);

  const targets = run?.targets ?? 0;
  const done = run === undefined ? 0 : targets - run.queued - run.sending;
  return (
    <section className={styles.run} aria-labelledby={labelId}>
      <div className={styles.text}>
        <strong id={labelId}>{sending.progress}</strong>
        {run?.test_send_mode === 1 ? <span className={styles.test}>{sending.testRun}</span> : null}
        {children}
        <span className={styles.count}>{run === undefined ? null : sending.progressCount(done, targets)}</span>
      </div>
      <Progress.Root size={8}>
        <Progress.Section
          value={targets === 0 ? 0 : (100 * done) / targets}
          // Mantine's own words would be a percentage.
          withAria={false}
          role="progressbar"
          aria-labelledby={labelId}
          aria-valuemin={0}
          aria-valuemax={targets}
          aria-valuenow={done}
          aria-valuetext={sending.progressCount(done, targets)}
        />
      </Progress.Root>
    </section>
  );
}
