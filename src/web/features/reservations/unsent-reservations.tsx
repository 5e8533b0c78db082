import type { Reservation } from './list-reservations.ts';
import styles from './reservations.module.css';
import { RESERVATION_MESSAGES } from './words.ts';

const { waits, missed } = RESERVATION_MESSAGES;

/** Lists unsent reservations whose time has passed, each with a remedy. */
export function UnsentReservations({
  reservations = [],
}: {
  readonly reservations: readonly Reservation[] | undefined;
}) {
  const unsent = reservations.flatMap(({ id, label, isMissed, reason }) => {
    if (isMissed) return { id, text: missed(label, reason) };
    return reason === null ? [] : { id, text: waits(label, reason) };
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
