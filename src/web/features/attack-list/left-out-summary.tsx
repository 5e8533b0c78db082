import { useState } from 'react';
import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/eligibility.ts';
import { WORDS } from '#web/lib/words.ts';
import styles from './attack-list-panel.module.css';
import { LeftOutDialog } from './left-out-dialog.tsx';
import type { Preview } from './preview-attack-list.ts';
import type { LeftOutSettings } from './view-left-out.ts';

interface Props {
  readonly preview: Preview;
  readonly settings: LeftOutSettings;
}

/** How many of the matching prospects can be mailed, and why the others cannot; behind each reason stand its companies. */
export function LeftOutSummary({ preview, settings }: Props) {
  const [opened, setOpened] = useState<LeftOutReason | null>(null);
  const words = WORDS.attackList;
  const leftOut = LEFT_OUT_REASONS.map((reason) => ({ reason, count: preview.left_out[reason] ?? 0 })).filter(
    ({ count }) => count > 0,
  );
  const total = leftOut.reduce((sum, { count }) => sum + count, 0);
  return (
    <div className={styles.summary}>
      <span>{words.eligible(preview.eligible)}</span>
      <span>{words.leftOut(total)}</span>
      {leftOut.length === 0 ? null : (
        <ul className={styles.reasons}>
          {leftOut.map(({ reason, count }) => (
            <li key={reason}>
              <button type="button" aria-haspopup="dialog" onClick={() => setOpened(reason)}>
                {words.reason(words.reasons[reason], count)}
              </button>
            </li>
          ))}
        </ul>
      )}
      {opened === null ? null : <LeftOutDialog reason={opened} settings={settings} onClose={() => setOpened(null)} />}
    </div>
  );
}
