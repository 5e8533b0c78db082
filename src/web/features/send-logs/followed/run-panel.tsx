import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Run } from '#contract/sending/runs.ts';
import { parseDateTime } from '#domain/time/tokyo-time.ts';
import { MINUTE_MS } from '#domain/time-units.ts';
import { Button } from '#web/components/button.tsx';
import { TestTag } from '#web/components/inline/test-tag.tsx';
import { sendPath } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { type Action, stepsOf } from '../actions.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { knownRun } from '../known-run.ts';
import { reloadRun } from '../run/reload-run.ts';
import { useRunEnd } from '../run/run-end.ts';
import { decidedMails, putOffText, runTitle } from '../run/run-state.ts';
import { useMayAct } from '../run/use-may-act.ts';
import { RUN_CHIP_MESSAGES as messages } from '../words.ts';
import { EndIcon } from './chip-label.tsx';
import { type FollowedRun, leadingFirst } from './followed-runs-state.ts';
import styles from './run-panel.module.css';

/** More runs would cover the page. The send history lists all. */
const MAX_SHOWN = 3;

interface Props {
  readonly followed: readonly FollowedRun[];
  /** In the page only the newest run is shown, so that the content moves only once. */
  readonly isInPage: boolean;
  /** Called with whether the panel has the pointer or the focus. */
  readonly onHold: (isHeld: boolean) => void;
}

/** Shows the progress of runs, open ones first, and a link to those that do not fit. */
export default function RunPanel({ followed, isInPage, onHold }: Props) {
  const runs = leadingFirst(followed);
  const shown = runs.slice(0, isInPage ? 1 : MAX_SHOWN);
  const others = isInPage ? 0 : runs.length - shown.length;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notices whether somebody is here
    <div
      className={styles.list}
      onMouseEnter={() => onHold(true)}
      onMouseLeave={() => onHold(false)}
      onFocus={() => onHold(true)}
      onBlur={() => onHold(false)}
    >
      {shown.map(({ id }) => (
        <RunRow key={id} id={id} />
      ))}
      {others > 0 ? <Link to={PATHS.sends}>{messages.others(others)}</Link> : null}
    </div>
  );
}

function RunRow({ id }: { readonly id: number }) {
  const { data: run, dataUpdatedAt } = useQuery(knownRun(id));
  const end = useRunEnd(run);
  const isFinished = run?.finished === true;
  const open = isFinished ? undefined : run;
  const titleId = useId();
  const subjectId = useId();
  return (
    <section className={styles.run} aria-labelledby={`${titleId} ${subjectId}`}>
      {open === undefined ? null : <span className={styles.count}>{progressText(open)}</span>}
      <p className={`line ${styles.name}`}>
        {end === null ? null : <EndIcon kind={end.kind} />}
        <strong id={titleId}>{runTitle(run)}</strong>
        {run?.test_send_mode === 1 ? <TestTag /> : null}
        <span id={subjectId} className={styles.subject} title={run?.subject}>
          {run?.subject}
        </span>
      </p>
      <span className={styles.left}>
        {open === undefined ? null : putOffText(open) || timeLeft(open, dataUpdatedAt)}
      </span>
      {isFinished ? null : <Bar run={run} labelledBy={titleId} />}
      <span className={`line ${styles.acts}`}>
        {open === undefined || open.paused_by === 'restored' ? null : <PauseButton run={open} />}
        <Link to={sendPath(id)}>{isFinished ? messages.result : messages.details}</Link>
      </span>
    </section>
  );
}

function PauseButton({ run }: { readonly run: Run }) {
  const [asked, setAsked] = useState<Action | null>(null);
  const client = useQueryClient();
  const mayAct = useMayAct(run);
  const [action] = mayAct ? stepsOf(run) : [];
  return (
    <>
      {action === undefined ? null : <Button onClick={() => setAsked(action)}>{action.button}</Button>}
      {asked === null ? null : (
        <ConfirmDialog action={asked} onClose={() => setAsked(null)} onChanged={() => reloadRun(client, run.id)} />
      )}
    </>
  );
}

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

/**
 * Returns the time left until the end of a run, in whole minutes; '' if it is unknown.
 *
 * @param now epoch milliseconds
 */
function timeLeft({ paused_by, estimated_end_at }: Run, now: number): string {
  const end = paused_by !== null || estimated_end_at === null ? null : parseDateTime(estimated_end_at);
  if (end === null) return '';
  const minutes = Math.max(1, Math.ceil((end - now) / MINUTE_MS));
  const { minutesLeft, hoursLeft } = messages;
  return minutes < 60 ? minutesLeft(minutes) : hoursLeft(Math.floor(minutes / 60), minutes % 60);
}
