import type { Reservation } from './list-reservations.ts';
import styles from './reservations.module.css';
import { RESERVATION_MESSAGES } from './words.ts';

const { waits, missed, suppressedHelp } = RESERVATION_MESSAGES;

/** Lists unsent reservations whose time has passed, each with a remedy, and those that will lose companies. */
export function UnsentReservations({
  reservations = [],
}: {
  readonly reservations: readonly Reservation[] | undefined;
}) {
  const unsent = reservations.flatMap(({ id, label, isMissed, reason, suppressed }) => {
    if (isMissed) return { id, text: missed(label, reason) };
    if (reason !== null) return { id, text: waits(label, reason) };
    return suppressed === 0 ? [] : { id, text: suppressedHelp(label, suppressed) };
  });
  if (unsent.length === 0) return null;
  return (
    <ul className={styles.unsent}>
      {unsent.map(({ id, text }) => (
        <li key={id}>{text}</li>
      ))}
    </ul>
  );
}
