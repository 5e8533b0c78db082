import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Run } from '#contract/sending.ts';
import { NotLoaded } from '#web/components/not-loaded.tsx';
import { TestTag } from '#web/components/test-tag.tsx';
import { hasStatus } from '#web/lib/query-client.ts';
import { useRunEvents } from '#web/lib/run-events.ts';
import { sendLog } from '#web/lib/send-log.ts';
import { minuteWithWeekday, withWeekday } from '#web/lib/with-weekday.ts';
import { DeliveryList } from './delivery-list.tsx';
import type { DeliveryParts } from './delivery-parts.ts';
import { RunActions } from './run-actions.tsx';
import { RunBar } from './run-bar.tsx';
import { estimatedEnd, openMails } from './run-state.ts';
import styles from './send-history.module.css';
import { RunBadge } from './status-badges.tsx';
import { HISTORY_MESSAGES } from './words.ts';

interface Props {
  readonly id: number;
  readonly parts: DeliveryParts;
}

/** Shows one run: its progress, its actions and its mails. */
export function RunDetail({ id, parts }: Props) {
  useRunEvents();
  const { data: run, error, refetch } = useQuery(sendLog(id));
  const messages = HISTORY_MESSAGES;
  if (run === undefined) {
    if (hasStatus(error, 404)) return <p className={styles.nothing}>{messages.notFound}</p>;
    return <NotLoaded hasFailed={error !== null} onRetry={() => void refetch()} />;
  }
  return (
    <div className={styles.list}>
      <section className={styles.summary} aria-label={messages.titleOf(withWeekday(run.sent_at))}>
        <dl className={styles.facts}>
          {factsOf(run).map(([term, value]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <RunActions run={run} />
        <div className={styles.wideBar}>
          <RunBar run={run} />
        </div>
      </section>
      <RunNotice run={run} />
      <DeliveryList run={run} parts={parts} />
    </div>
  );
}

function factsOf(run: Run): [string, ReactNode][] {
  const { columns } = HISTORY_MESSAGES;
  const end = estimatedEnd(run);
  const counts = (['sent', 'failed', 'unknown', 'cancelled'] as const).map((name): [string, ReactNode] => [
    columns[name],
    run[name] === 0 ? (
      '0'
    ) : (
      <Link key={name} to={`?state=${name}`}>
        {run[name].toLocaleString('ja-JP')}
      </Link>
    ),
  ]);
  return [
    [
      columns.state,
      <span key="state" role="status">
        <RunBadge run={run} /> {run.test_send_mode === 1 ? <TestTag /> : null}
      </span>,
    ],
    [columns.sent_at, withWeekday(run.sent_at)],
    [columns.subject, run.subject],
    [columns.group_name, run.group_name],
    [
      columns.targets,
      <Link key="targets" to="?">
        {run.targets.toLocaleString('ja-JP')}
      </Link>,
    ],
    ...counts,
    ...(run.finished ? [] : [[columns.open, openMails(run).toLocaleString('ja-JP')] as [string, ReactNode]]),
    ...(end === '' ? [] : [[columns.estimated_end_at, end] as [string, ReactNode]]),
  ];
}

/** Shows why nothing is being sent, and what to do about it. */
function RunNotice({ run }: { readonly run: Run }) {
  const text = noticeText(run);
  return text === null ? null : <p className={styles.notice}>{text}</p>;
}

function noticeText({ paused_by, database_rewound, put_off_until, transport_paused_until }: Run): string | null {
  const { pausedBy, databaseRewound, putOff, transportPaused } = HISTORY_MESSAGES;
  if (paused_by !== null) return pausedBy[paused_by];
  if (database_rewound) return databaseRewound;
  if (put_off_until !== null) return putOff(minuteWithWeekday(put_off_until));
  return transport_paused_until === null ? null : transportPaused(withWeekday(transport_paused_until));
}
