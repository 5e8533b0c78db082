import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { stopJob, useJob } from '#web/lib/api/jobs.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { IMPORT, IMPORT_LIST } from './import-query.ts';
import styles from './import-screen.module.css';
import { REVIEW_MESSAGES, RUN_MESSAGES } from './words.ts';

interface Props {
  readonly importId: number;
  readonly jobId: number;
  readonly label: string;
  /** The button that cancels the job; undefined: it cannot be cancelled. */
  readonly stop?: { readonly label: string; readonly done: string };
  /** Called when the job has ended. */
  readonly onEnd?: () => void;
}

/** Shows the progress of a job by server-sent events. Closing the page does not stop the job. */
export function JobProgress({ importId, jobId, label, stop, onEnd }: Props) {
  const client = useQueryClient();
  const job = useJob(jobId, true);
  const [isStopping, setStopping] = useState(false);
  const isOver = job !== undefined && job.finished_at !== null;
  useEffect(() => {
    if (!isOver) return;
    void client.invalidateQueries({ queryKey: [IMPORT, importId] });
    void client.invalidateQueries({ queryKey: [IMPORT_LIST] });
    onEnd?.();
  }, [client, importId, isOver, onEnd]);

  async function cancel(): Promise<void> {
    setStopping(true);
    const answer = await stopJob(jobId);
    if (answer.ok) toast('info', stop?.done ?? '');
    else if (answer.status !== 401) toast('warning', answer.message);
    await client.invalidateQueries({ queryKey: [IMPORT, importId] });
    setStopping(false);
  }

  const { done = 0, total = null } = job ?? {};
  return (
    <div className={`stack surface ${styles.card}`}>
      <strong role="status">{label}</strong>
      <small>{total === null ? REVIEW_MESSAGES.rowsRead(done) : RUN_MESSAGES.progress(done, total)}</small>
      <progress aria-label={label} {...(total === null ? {} : { value: done, max: Math.max(total, 1) })} />
      <small>{RUN_MESSAGES.closeHelp}</small>
      {stop === undefined ? null : (
        <Button busy={isStopping || isOver} onClick={() => void cancel()}>
          {stop.label}
        </Button>
      )}
    </div>
  );
}
