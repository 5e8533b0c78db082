import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { endedOf, type Report, type Results, shareOf } from './report-query.ts';
import styles from './reports.module.css';
import { REPORT_MESSAGES } from './words.ts';

const { results, count, percent, change, target } = REPORT_MESSAGES;

type Name = keyof typeof results;
const NAMES = Object.keys(results) as Name[];

/** What a share is of, and what it should be. Refusals and replies are of mails that arrived. */
const TARGETS: Readonly<Record<Exclude<Name, 'sent'>, (share: number) => boolean>> = {
  failed: (share) => share <= 0.02,
  replied: (share) => share >= 0.01,
  refused: (share) => share <= 0.005,
  unknown: (share) => share <= 0.005,
};
const wholeOf = (name: Name, all: Results): number =>
  name === 'replied' || name === 'refused' ? all.sent : endedOf(all);

/** The five figures of a period, each with its share, its target and its change against the period before. */
export function Figures({ total, before }: Pick<Report, 'total' | 'before'>) {
  return (
    <dl className={styles.figures} aria-label={REPORT_MESSAGES.figures}>
      {NAMES.map((name) => (
        <div key={name} className={styles.figure}>
          <dt>{results[name]}</dt>
          <dd>
            <strong>{count(total[name])}</strong>
            {name === 'sent' ? null : (
              <span className={styles.share}>{percent(shareOf(total[name], wholeOf(name, total)))}</span>
            )}
          </dd>
          <dd className={styles.change}>{changeOf(total[name], before[name])}</dd>
          {name === 'sent' ? null : <Target name={name} share={shareOf(total[name], wholeOf(name, total))} />}
        </div>
      ))}
    </dl>
  );
}

function Target({ name, share }: { readonly name: Exclude<Name, 'sent'>; readonly share: number }) {
  const isGood = TARGETS[name](share);
  const Icon = isGood ? IconCheck : IconAlertTriangle;
  return (
    <dd className={styles.target} data-good={isGood}>
      <Icon size={14} aria-hidden />
      {isGood ? target.good : target.bad}
      <span>{target[name]}</span>
    </dd>
  );
}

function changeOf(now: number, then: number): string {
  if (now === then) return change.same;
  if (then === 0) return change.new;
  const share = percent(Math.abs(now - then) / then);
  return now > then ? change.up(share) : change.down(share);
}
