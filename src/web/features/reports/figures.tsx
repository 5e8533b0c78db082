import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import { byHand } from '#web/lib/phrases.ts';
import { endedOf, hasRates, notJudged, type Report, type Results, shareOf } from './report-query.ts';
import styles from './reports.module.css';
import { REPORT_MESSAGES } from './words.ts';

const { results, count, percent, change, target } = REPORT_MESSAGES;

type Name = keyof typeof results;
type Rate = Exclude<Name, 'sent'>;
const NAMES = Object.keys(results) as Name[];

/** The base and the target of each rate. Opt-outs and replies are shares of the delivered mails. */
const TARGETS: Readonly<Record<Rate, (share: number) => boolean>> = {
  failed: (share) => share <= 0.02,
  replied: (share) => share >= 0.01,
  refused: (share) => share <= 0.005,
  unknown: (share) => share <= 0.005,
};
const wholeOf = (name: Name, all: Results): number =>
  name === 'replied' || name === 'refused' ? all.sent : endedOf(all);

const rateOf = (name: Name, all: Results): number => shareOf(all[name], wholeOf(name, all));

/** Whether the mails that are old enough fare otherwise than all: a figure then shows their rate alone. */
const isJudgedOtherwise = (name: Rate, report: Report): boolean =>
  notJudged(report) === null &&
  TARGETS[name](rateOf(name, report.judged)) !== TARGETS[name](rateOf(name, report.total));

/** Shows the five figures of a period, each with its rate, target and change from the previous period. */
export function Figures({ report }: { readonly report: Report }) {
  const { total, before } = report;
  return (
    <dl className={styles.figures} aria-label={REPORT_MESSAGES.figures}>
      {NAMES.map((name) => (
        <div key={name} className={styles.figure}>
          <dt>{results[name]}</dt>
          <dd>
            <strong>{count(total[name])}</strong>
            {name !== 'sent' && hasRates(endedOf(total)) && !isJudgedOtherwise(name, report) ? (
              <span className={styles.share}>{percent(rateOf(name, total))}</span>
            ) : null}
            {name === 'replied' ? <span className="note">{byHand(total.replied_by_hand)}</span> : null}
          </dd>
          <dd className="note" data-state={isWorse(name, total, before) ? 'look' : undefined}>
            {changeOf(total[name], before[name])}
          </dd>
          {name === 'sent' ? null : <Target name={name} report={report} />}
        </div>
      ))}
    </dl>
  );
}

/** Says which mails the rates count, if not all. */
export function JudgedNote({ report }: { readonly report: Report }) {
  const { total, judged } = report;
  const reason = notJudged(report) ?? (endedOf(judged) < endedOf(total) ? 'judged' : null);
  return reason === null ? null : <p className="note">{target[reason]}</p>;
}

/** Compares a rate with its target, counting only mails that are old enough. */
function Target({ name, report }: { readonly name: Rate; readonly report: Report }) {
  if (notJudged(report) !== null) return <dd className="note">{target[name]}</dd>;
  const rate = rateOf(name, report.judged);
  const isGood = TARGETS[name](rate);
  const shown = isJudgedOtherwise(name, report) ? target.ofJudged(percent(rate)) : '';
  const Icon = isGood ? IconCheck : IconAlertTriangle;
  return (
    <dd className={`row ${styles.target}`} data-state={isGood ? 'good' : 'look'}>
      <Icon size={14} aria-hidden />
      {isGood ? target.good(target[name], shown) : target.bad(target[name], shown)}
    </dd>
  );
}

/** Whether more failed, refused or stayed unknown, or fewer replied, by number and by rate. */
function isWorse(name: Name, total: Results, before: Results): boolean {
  if (name === 'sent' || !hasRates(endedOf(total)) || !hasRates(endedOf(before))) return false;
  const by = name === 'replied' ? -1 : 1;
  return by * (total[name] - before[name]) > 0 && by * (rateOf(name, total) - rateOf(name, before)) > 0;
}

function changeOf(now: number, then: number): string {
  if (now === then) return change.same;
  if (then === 0) return change.new;
  const share = percent(Math.abs(now - then) / then);
  return now > then ? change.up(share) : change.down(share);
}
