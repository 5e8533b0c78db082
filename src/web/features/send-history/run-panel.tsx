import { IconAlertTriangle, IconBan, IconCheck, IconX } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId } from 'react';
import type { Run } from '#contract/sending.ts';
import { TestTag } from '#web/components/test-tag.tsx';
import { hasStatus } from '#web/lib/query-client.ts';
import { reloadLists } from '#web/lib/reload-lists.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useRunEvents } from '#web/lib/run-events.ts';
import { sendLog } from '#web/lib/send-log.ts';
import { toast } from '#web/lib/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { type FollowedRun, unfollowRun, updateFollowedRun } from './followed-runs-state.ts';
import styles from './run-dock.module.css';
import { countsText, useRunEnd } from './run-end.ts';
import { isSending, openMails, runStateText } from './run-state.ts';
import { timeLeft } from './time-left.ts';
import { RUN_STRIP_MESSAGES } from './words.ts';

const messages = RUN_STRIP_MESSAGES;

/** Follows a run, and tells its end once, by a toast. Only a run under way speaks by `onAnnounce`. */
function useRun({ id, hasEnded }: FollowedRun, onAnnounce: (text: string) => void) {
  const client = useQueryClient();
  useRunEvents(!hasEnded);
  const { data: run, error, dataUpdatedAt } = useQuery(sendLog(id));
  const end = useRunEnd(run);
  const isGone = hasStatus(error, 404);

  useEffect(() => {
    if (isGone) unfollowRun(id);
    if (run === undefined || run.finished === hasEnded || (run.finished && end === null)) return;
    // A run opens again when its failed mails are retried.
    updateFollowedRun(id, { hasEnded: run.finished });
    if (end === null) return;
    reloadLists(client);
    onAnnounce('');
    toast(end.type, end.text);
  }, [run, end, isGone, id, hasEnded, client, onAnnounce]);

  useEffect(() => {
    if (!hasEnded) onAnnounce(COMMON_MESSAGES.mail.sending);
  }, [hasEnded, onAnnounce]);

  return { run, end, readAt: dataUpdatedAt };
}

interface Props {
  readonly followed: FollowedRun;
  /** false: it follows the run without showing it. */
  readonly isShown: boolean;
  /** The path of the run's screen. */
  readonly path: string;
  /** Announces a text to screen readers. */
  readonly onAnnounce: (text: string) => void;
}

export function RunStrip({ followed, isShown, path, onAnnounce }: Props) {
  const { run, end, readAt } = useRun(followed, onAnnounce);
  const titleId = useId();
  const subjectId = useId();
  if (!isShown || (run === undefined && followed.hasEnded)) return null;

  function close(): void {
    updateFollowedRun(followed.id, { isClosed: true });
    document.getElementById('main')?.focus({ preventScroll: true });
  }

  return (
    <section className={styles.strip} aria-labelledby={`${titleId} ${subjectId}`} data-ended={end?.kind}>
      <div className={styles.head}>
        {end?.kind === 'failed' ? <IconAlertTriangle size={18} aria-hidden /> : null}
        {end?.kind === 'done' ? <IconCheck size={18} aria-hidden /> : null}
        {end?.kind === 'stopped' ? <IconBan size={18} aria-hidden /> : null}
        <strong id={titleId} className={styles.title}>
          {titleOf(run)}
        </strong>
        {run?.test_send_mode === 1 ? <TestTag /> : null}
        {run === undefined || run.finished ? null : <span className={styles.count}>{progressText(run)}</span>}
        <button type="button" className={styles.close} aria-label={messages.close(run?.subject ?? '')} onClick={close}>
          <IconX size={16} aria-hidden />
        </button>
      </div>
      {run?.finished ? <p className={styles.counts}>{countsText(run)}</p> : <Bar run={run} labelledBy={titleId} />}
      <div className={styles.foot}>
        <span id={subjectId} className={styles.subject} title={run?.subject}>
          {run?.subject}
        </span>
        <span>{run === undefined ? null : timeLeft(run, readAt)}</span>
        <Link to={path}>{run?.finished ? messages.result : messages.details}</Link>
      </div>
    </section>
  );
}

/** Returns the title. A waiting run shows what it waits for, an ended one only that it has ended: a toast told how. */
function titleOf(run: Run | undefined): string {
  if (run === undefined || isSending(run)) return COMMON_MESSAGES.mail.sending;
  return runStateText(run);
}

const decidedMails = (run: Run): number => run.targets - openMails(run);
const progressText = (run: Run): string => messages.count(decidedMails(run), run.targets);

function Bar({ run, labelledBy }: { readonly run: Run | undefined; readonly labelledBy: string }) {
  const targets = run?.targets ?? 0;
  const decided = run === undefined ? 0 : decidedMails(run);
  return (
    <div
      className={styles.bar}
      role="progressbar"
      aria-labelledby={labelledBy}
      aria-valuemin={0}
      aria-valuemax={targets}
      aria-valuenow={decided}
      aria-valuetext={run === undefined ? undefined : progressText(run)}
    >
      <div style={{ width: `${targets === 0 ? 0 : (100 * decided) / targets}%` }} />
    </div>
  );
}
