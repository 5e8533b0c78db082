import type { Run } from '#contract/runs.ts';
import styles from './run-bar.module.css';
import { openMails } from './run-state.ts';
import { HISTORY_MESSAGES as messages } from './words.ts';

const PARTS = ['sent', 'failed', 'unknown', 'cancelled', 'open'] as const;

const countOf = (run: Run, part: (typeof PARTS)[number]): number => (part === 'open' ? openMails(run) : run[part]);

/** One bar with a part for each outcome. Its text says the same. */
export function RunBar({ run }: { readonly run: Run }) {
  const text = PARTS.filter((part) => countOf(run, part) > 0)
    .map((part) => `${messages.columns[part]} ${countOf(run, part).toLocaleString('ja-JP')}`)
    .join(messages.barSeparator);
  return (
    <svg className={styles.bar} role="img" aria-label={text} viewBox="0 0 100 10" preserveAspectRatio="none">
      <title>{text}</title>
      {rectsOf(run).map(({ part, x, width }) => (
        <rect key={part} className={styles[part]} x={x} y={0} width={width} height={10} />
      ))}
    </svg>
  );
}

function rectsOf(run: Run) {
  let x = 0;
  return PARTS.flatMap((part) => {
    const width = run.targets === 0 ? 0 : (100 * countOf(run, part)) / run.targets;
    const rect = { part, x, width };
    x += width;
    return width === 0 ? [] : [rect];
  });
}

/** Returns the share of sent mails, as `97.4%`. It is 100% only where all were sent. */
export function sentShare({ sent, targets }: Run): string {
  if (targets === 0) return '';
  const share = Math.floor((1000 * sent) / targets) / 10;
  return messages.share(share);
}
