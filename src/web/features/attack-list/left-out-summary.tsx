import { lazy, useState } from 'react';
import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/sending/eligibility.ts';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import { loadPart } from '#web/lib/load-part.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './attack-list-panel.module.css';
import type { Preview } from './preview-attack-list.ts';
import type { LeftOutSettings } from './view-left-out.ts';
import { ATTACK_LIST_MESSAGES } from './words.ts';

const LeftOutDialog = lazy(() => loadPart(() => import('./left-out-dialog.tsx')));

interface Props {
  readonly preview: Preview;
  readonly settings: LeftOutSettings;
}

/** Shows how many matching prospects can get mail, and why the others cannot. Each reason opens its companies. */
export function LeftOutSummary({ preview, settings }: Props) {
  const [opened, setOpened] = useState<LeftOutReason | null>(null);
  const messages = ATTACK_LIST_MESSAGES;
  const leftOut = LEFT_OUT_REASONS.map((reason) => ({ reason, count: preview.left_out[reason] ?? 0 })).filter(
    ({ count }) => count > 0,
  );
  const total = leftOut.reduce((sum, { count }) => sum + count, 0);
  return (
    <div className={styles.summary}>
      <span>{messages.eligible(preview.eligible)}</span>
      <span>{messages.leftOut(total)}</span>
      {leftOut.length === 0 ? null : (
        <ul className={styles.reasons}>
          {leftOut.map(({ reason, count }) => (
            <li key={reason}>
              <button type="button" aria-haspopup="dialog" onClick={() => setOpened(reason)}>
                {COMMON_MESSAGES.leftOut.reason(COMMON_MESSAGES.leftOut.reasons[reason], count)}
              </button>
            </li>
          ))}
        </ul>
      )}
      {opened === null ? null : (
        <PartBoundary>
          <LeftOutDialog reason={opened} settings={settings} onClose={() => setOpened(null)} />
        </PartBoundary>
      )}
    </div>
  );
}
