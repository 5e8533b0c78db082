import type { Run } from '#contract/sending/runs.ts';
import { openMails } from './run/run-state.ts';
import styles from './run-bar.module.css';
import { HISTORY_MESSAGES as messages } from './words.ts';

const PARTS = ['sent', 'failed', 'unknown', 'cancelled', 'open'] as const;

const countOf = (run: Run, part: (typeof PARTS)[number]): number => (part === 'open' ? openMails(run) : run[part]);

/** Shows one bar with a part for each outcome. Its text says the same. */
export function RunBar({ run }: { readonly run: Run }) {
  const parts = PARTS.filter((part) => countOf(run, part) > 0);
  const text = parts
    .map((part) => `${messages.columns[part]} ${countOf(run, part).toLocaleString('ja-JP')}`)
    .join(messages.barSeparator);
  return (
    <span className={styles.bar} role="img" aria-label={text} title={text}>
      {parts.map((part) => (
        <span key={part} data-part={part} style={{ flexGrow: countOf(run, part) }} />
      ))}
    </span>
  );
}

/** Returns the share of sent mails, as `97.4%`. It is 100% only if all were sent. */
export function sentShare({ sent, targets }: Run): string {
  if (targets === 0) return '';
  const share = Math.floor((1000 * sent) / targets) / 10;
  return messages.share(share);
}
