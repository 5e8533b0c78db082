import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react';
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
import { isSending, openMails, runStateText } from './run-state.ts';
import { timeLeft } from './time-left.ts';
import { RUN_STRIP_MESSAGES } from './words.ts';

const messages = RUN_STRIP_MESSAGES;

/** A run that sent nothing has failed. */
const hasFailed = ({ sent, unknown }: Run): boolean => sent === 0 && unknown === 0;
const endTitle = (run: Run): string => (hasFailed(run) ? messages.failed : messages.done);
const endCounts = ({ sent, failed, unknown, cancelled }: Run): string =>
  messages.counts(sent, failed, unknown) + (cancelled > 0 ? messages.cancelled(cancelled) : '');

/** Follows a run and reports its end once: by a toast if it started here, else to screen readers. */
function useRun({ id, isOwn, hasEnded }: FollowedRun, onAnnounce: (text: string) => void) {
  const client = useQueryClient();
  useRunEvents(!hasEnded);
  const { data: run, error, dataUpdatedAt } = useQuery(sendLog(id));
  const isGone = hasStatus(error, 404);

  useEffect(() => {
    if (isGone) unfollowRun(id);
    if (run === undefined || run.finished === hasEnded) return;
    // A run opens again when its failed mails are retried.
    updateFollowedRun(id, { hasEnded: run.finished });
    if (!run.finished) return;
    reloadLists(client);
    if (isOwn) toast(hasFailed(run) ? 'warning' : 'success', `${endTitle(run)}\n${endCounts(run)}`);
    else onAnnounce(`${endTitle(run)} ${endCounts(run)}`);
  }, [run, isGone, id, isOwn, hasEnded, client, onAnnounce]);

  useEffect(() => {
    if (!hasEnded) onAnnounce(COMMON_MESSAGES.mail.sending);
  }, [hasEnded, onAnnounce]);

  return { run, readAt: dataUpdatedAt };
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
  const { run, readAt } = useRun(followed, onAnnounce);
  const titleId = useId();
  const subjectId = useId();
  if (!isShown || (run === undefined && followed.hasEnded)) return null;

  function close(): void {
    updateFollowedRun(followed.id, { isClosed: true });
    document.getElementById('main')?.focus({ preventScroll: true });
  }

  const ended = run?.finished ? (hasFailed(run) ? 'failed' : 'done') : undefined;
  return (
    <section className={styles.strip} aria-labelledby={`${titleId} ${subjectId}`} data-ended={ended}>
      <div className={styles.head}>
        {ended === 'failed' ? <IconAlertTriangle size={18} aria-hidden /> : null}
        {ended === 'done' ? <IconCheck size={18} aria-hidden /> : null}
        <strong id={titleId} className={styles.title}>
          {titleOf(run)}
        </strong>
        {run?.test_send_mode === 1 ? <TestTag /> : null}
        {run === undefined || run.finished ? null : <span className={styles.count}>{progressText(run)}</span>}
        <button type="button" className={styles.close} aria-label={messages.close(run?.subject ?? '')} onClick={close}>
          <IconX size={16} aria-hidden />
        </button>
      </div>
      {run?.finished ? <p className={styles.counts}>{endCounts(run)}</p> : <Bar run={run} labelledBy={titleId} />}
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

/** Returns the title. A waiting run shows what it waits for. */
function titleOf(run: Run | undefined): string {
  if (run === undefined || isSending(run)) return COMMON_MESSAGES.mail.sending;
  return run.finished ? endTitle(run) : runStateText(run);
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
