import { Notice } from '#web/components/state/notice.tsx';
import { sentenceTime } from '#web/lib/screen-time.ts';
import type { Reservation } from './list-reservations.ts';
import styles from './reservations.module.css';
import { RESERVATION_MESSAGES } from './words.ts';

const { waits, missed, held, suppressedHelp, maybeRefusedHelp, repliedHelp } = RESERVATION_MESSAGES;

interface Props {
  /** undefined: loading. */
  readonly reservations: readonly Reservation[] | undefined;
}

/** Lists unsent reservations whose time has passed, each with a remedy, and those that will leave out companies. */
export function UnsentReservations({ reservations }: Props) {
  if (reservations === undefined) return <div hidden className={styles.awaited} />;
  const unsent = reservations.flatMap(textsOf);
  if (unsent.length === 0) return null;
  return (
    <Notice tone="warning">
      <ul className="stack-tight">
        {unsent.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </Notice>
  );
}

function textsOf({
  label,
  isMissed,
  isHeld,
  reason,
  suppressed,
  maybeRefused,
  replied,
}: Reservation): readonly string[] {
  const at = sentenceTime(label);
  if (isHeld) return [held(at)];
  if (isMissed) return [missed(at, reason)];
  if (reason !== null) return [waits(at, reason)];
  return [
    ...(suppressed === 0 ? [] : [suppressedHelp(at, suppressed)]),
    ...(maybeRefused === 0 ? [] : [maybeRefusedHelp(at, maybeRefused)]),
    ...(replied === 0 ? [] : [repliedHelp(at, replied)]),
  ];
}
