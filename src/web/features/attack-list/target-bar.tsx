import { Button } from '#web/components/button.tsx';
import { Matches } from '#web/components/matches.tsx';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './attack-list-panel.module.css';
import { LeftOutSummary } from './left-out-summary.tsx';
import type { Targets } from './use-targets.ts';
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
