import { LEFT_OUT_REASONS } from '#domain/eligibility.ts';
import { Matches } from '#web/components/matches.tsx';
import { WORDS } from '#web/lib/words.ts';
import styles from './attack-list-panel.module.css';
import type { Preview } from './preview-attack-list.ts';

/** How many of the matching prospects can be mailed, and why the others cannot. */
export function LeftOutSummary({ preview }: { readonly preview: Preview }) {
  const words = WORDS.attackList;
  const leftOut = LEFT_OUT_REASONS.map((reason) => ({ reason, count: preview.left_out[reason] ?? 0 })).filter(
    ({ count }) => count > 0,
  );
  const total = leftOut.reduce((sum, { count }) => sum + count, 0);
  return (
    <div className={styles.summary}>
      <Matches total={preview.matched} />
      <span>{words.eligible(preview.eligible)}</span>
      <span>{words.leftOut(total)}</span>
      {leftOut.length === 0 ? null : (
        <ul className={styles.reasons}>
          {leftOut.map(({ reason, count }) => (
            <li key={reason}>{words.reason(words.reasons[reason], count)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
