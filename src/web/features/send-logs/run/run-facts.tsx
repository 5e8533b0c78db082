import type { ReactNode } from 'react';
import type { Run } from '#contract/sending/runs.ts';
import { DELIVERY_REASON_NAMES } from '#domain/sending/delivery-reason-names.ts';
import { sendPath } from '#web/lib/address/params.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { byHand, LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { Link } from '#web/lib/router/link.tsx';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { RunBar } from '../run-bar.tsx';
import styles from '../send-history.module.css';
import { runSentence } from '../sentence/run-sentence.ts';
import { HISTORY_MESSAGES } from '../words.ts';
import { wasStopped } from './run-end.ts';
import { estimatedEnd, openMails } from './run-state.ts';
import type { RunOrigin } from './view-run-origin.ts';
import { RUN_ORIGIN_MESSAGES } from './words.ts';

type Fact = readonly [term: string, value: ReactNode];

interface Props {
  readonly run: Run;
  /** undefined: not loaded, or unknown. */
  readonly origin: RunOrigin | undefined;
  /** Whether the origin was loaded before the last mails were cancelled. */
  readonly isOutdated: boolean;
  /** Renders the filters of the list. */
  readonly renderConditions: (conditions: NonNullable<RunOrigin['list_conditions']>) => ReactNode;
}

/** Shows the outcome of a run's mails, who sent them, and to which list. The numbers link to their mails. */
export function RunFacts({ run, origin, isOutdated, renderConditions }: Props) {
  const isStopped = origin !== undefined && !isOutdated && wasStopped(run, origin);
  return (
    <section
      className={`stack-wide surface ${styles.summary}`}
      aria-label={HISTORY_MESSAGES.titleOf(sentenceTime(run.sent_at))}
    >
      <p className="sentence">{runSentence(run, isStopped)}</p>
      <RunBar run={run} />
      <Facts className="figures" facts={countsOf(run)} />
      <Facts
        className={`row ${styles.facts} ${origin === undefined ? styles.factsToCome : ''}`}
        facts={originFacts(run, origin, renderConditions)}
      />
    </section>
  );
}

function Facts({ className, facts }: { readonly className: string | undefined; readonly facts: readonly Fact[] }) {
  return (
    <dl className={className}>
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function countsOf(run: Run): readonly Fact[] {
  const { columns } = HISTORY_MESSAGES;
  const end = estimatedEnd(run);
  const states = (['sent', 'failed', 'unknown', 'cancelled'] as const).map((name): Fact => {
    return [columns[name], <StateCount key={name} state={name} to={sendPath(run.id, name)} mails={run[name]} />];
  });
  return [
    [columns.targets, targetsLink(run)],
    ...states,
    ...(run.finished ? [] : [[columns.open, openMails(run).toLocaleString('ja-JP')] as const]),
    ...(['replied', 'refused'] as const).map((name): Fact => {
      if (run[name] === 0) return [columns[name], <Zero key={name} />];
      const note = name === 'replied' ? byHand(run.replied_by_hand) : '';
      return [
        columns[name],
        [run[name].toLocaleString('ja-JP'), note === '' ? null : <small key="note"> {note}</small>],
      ];
    }),
    ...(end === '' ? [] : [[columns.estimated_end_at, end] as const]),
  ];
}

const targetsLink = ({ id, targets }: Run) => <Link to={sendPath(id)}>{targets.toLocaleString('ja-JP')}</Link>;

function StateCount({ state, to, mails }: { readonly state: string; readonly to: string; readonly mails: number }) {
  if (mails === 0) return <Zero />;
  return (
    <Link to={to} className={state === 'failed' ? styles.failed : undefined}>
      {mails.toLocaleString('ja-JP')}
    </Link>
  );
}

const Zero = () => <span data-none>0</span>;

function originFacts(
  run: Run,
  origin: RunOrigin | undefined,
  renderConditions: Props['renderConditions'],
): readonly Fact[] {
  const { columns } = HISTORY_MESSAGES;
  const { sendTo } = DATA_MESSAGES;
  const messages = RUN_ORIGIN_MESSAGES;
  const own: readonly Fact[] = [
    [columns.sent_at, sentenceTime(run.sent_at)],
    [columns.group_name, run.group_name],
  ];
  if (origin === undefined) return own;
  const { member_name, from, list_conditions, companies_chosen, days_from_lastday, left_out } = origin;
  const all: readonly Fact[] = [
    ...own,
    [columns.member_name, member_name ?? ''],
    [messages.from, DATA_MESSAGES.mail.address(from.name, from.address)],
    [sendTo.term, run.send_to === 'company' ? '' : sendTo.names[run.send_to]],
    [messages.conditions, companies_chosen ? messages.chosen : list_conditions && renderConditions(list_conditions)],
    [messages.interval, messages.days(days_from_lastday)],
    [messages.leftOut, left_out.length === 0 ? '' : leftOutText(left_out)],
  ];
  return all.filter(([, value]) => value !== '' && value !== null);
}

/** Returns how many mails were left out, with the number for each reason. */
function leftOutText(leftOut: RunOrigin['left_out']): string {
  const all = leftOut.reduce((sum, { count }) => sum + count, 0);
  const { reason } = DATA_MESSAGES.leftOut;
  const reasons = leftOut.map((each) => reason(DELIVERY_REASON_NAMES[each.reason], each.count));
  return RUN_ORIGIN_MESSAGES.leftOutBy(all, reasons.join(LIST_SEPARATOR));
}
