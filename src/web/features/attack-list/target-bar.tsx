import { lazy, useState } from 'react';
import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/sending/eligibility.ts';
import { Button } from '#web/components/button.tsx';
import { Matches } from '#web/components/matches.tsx';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import { loadPart } from '#web/lib/load-part.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './attack-list-panel.module.css';
import type { Preview } from './preview-attack-list.ts';
import type { Targets } from './use-targets.ts';
import type { LeftOutSettings } from './view-left-out.ts';
import { ATTACK_LIST_MESSAGES } from './words.ts';

interface Props {
  readonly targets: Targets;
  readonly isTest: boolean;
  readonly isReservation: boolean;
  readonly onCheck: () => void;
  readonly onOrder: () => void;
}

/** The number of targets, who is left out, and the buttons that preview and order the mails. */
export function TargetBar({ targets: { targets, preview, ...state }, isTest, isReservation, onCheck, onOrder }: Props) {
  const { testTargets, targets: realTargets, counting, uncounted, checkMails } = ATTACK_LIST_MESSAGES;
  const { send, reserve } = COMMON_MESSAGES.actions;
  const countOf = isTest ? testTargets : realTargets;
  const unknown = state.hasFailed ? uncounted : counting;
  return (
    <div className={styles.bar}>
      <strong className={styles.count} data-test={isTest || undefined}>
        {targets === undefined ? unknown : countOf(targets.length)}
      </strong>
      <Matches total={preview?.matched} failed={state.hasFailed} />
      {preview === undefined ? null : <LeftOutSummary preview={preview} settings={state.leftOutSettings} />}
      <Button className={styles.check} busy={state.isOutdated} onClick={onCheck}>
        {checkMails}
      </Button>
      <Button
        variant={isTest ? 'outline' : 'primary'}
        className={styles.send}
        busy={state.isOutdated}
        onClick={onOrder}
      >
        {isReservation ? reserve : send}
      </Button>
    </div>
  );
}

const LeftOutDialog = lazy(() => loadPart(() => import('./left-out-dialog.tsx')));

interface LeftOutSummaryProps {
  readonly preview: Preview;
  readonly settings: LeftOutSettings;
}

/** Shows how many matching prospects can get mail, and why the others cannot. Each reason opens its companies. */
function LeftOutSummary({ preview, settings }: LeftOutSummaryProps) {
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
