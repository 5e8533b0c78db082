import { pickerWindow } from '#domain/sending/picker-window.ts';
import { defaultSendAt } from '#domain/sending/reservation-window.ts';
import { dayOf, formatTimeOfDay, instantOf, minuteOfDay, parseTimeOfDay } from '#domain/time/tokyo-time.ts';
import { SelectField } from '#web/components/field/select-field.tsx';
import { DayField } from './day-field.tsx';
import { dayChoices, reservationTimes, withTime } from './picker-choices.ts';
import styles from './schedule.module.css';
import { SCHEDULE_MESSAGES } from './words.ts';

interface Props {
  /** Epoch milliseconds, as `now`. */
  readonly sendAt: number;
  readonly now: number;
  readonly fault: string | undefined;
  /** null: the default, which changes with the clock. */
  readonly onChange: (sendAt: number | null) => void;
}

/** Selects the day and time of a reservation, in Tokyo time. */
export function ReservationPicker({ sendAt, now, fault, onChange }: Props) {
  const standard = defaultSendAt(now);
  const day = dayOf(sendAt);
  const time = formatTimeOfDay(minuteOfDay(sendAt));

  function choose(newDay: string, wanted: string): void {
    const times = reservationTimes(newDay, now);
    const newTime = times.includes(wanted) ? wanted : (times[0] ?? wanted);
    const instant = instantOf(newDay, parseTimeOfDay(newTime) ?? 0);
    onChange(instant === standard ? null : instant);
  }

  return (
    <div className={styles.picker}>
      <DayField
        className={styles.day}
        label={SCHEDULE_MESSAGES.sendAt}
        days={dayChoices(pickerWindow(now), day, dayOf(standard))}
        value={day}
        error={fault}
        onChange={(newDay) => choose(newDay, time)}
      />
      <SelectField
        className={styles.time}
        label={SCHEDULE_MESSAGES.time}
        isBoxed
        choices={withTime(reservationTimes(day, now), time).map((value) => ({ value, label: value }))}
        value={time}
        error={fault !== undefined}
        onChange={(newTime) => choose(day, newTime)}
      />
    </div>
  );
}
