import { nextCandidate } from '#domain/sending/candidate-dates.ts';
import { pickerWindow } from '#domain/sending/picker-window.ts';
import { defaultSendAt } from '#domain/sending/reservation-window.ts';
import { dayOf, formatTimeOfDay, instantOf, minuteOfDay, parseTimeOfDay } from '#domain/time/tokyo-time.ts';
import { SelectField } from '#web/components/select-field.tsx';
import { type AttackListSettings, updateAttackListSettings } from '../attack-list-state.ts';
import { SCHEDULE_MESSAGES } from '../words.ts';
import { CandidateDatesEditor } from './candidate-dates-editor.tsx';
import { DayField } from './day-field.tsx';
import { ModeSwitch } from './mode-switch.tsx';
import { dayChoices, reservationTimes, withTime } from './picker-choices.ts';
import type { Schedule, ScheduleFaults } from './schedule.ts';
import styles from './schedule-settings.module.css';
import panel from './settings-panel.module.css';

interface Props {
  readonly settings: AttackListSettings;
  readonly schedule: Schedule;
  readonly faults: ScheduleFaults;
  readonly now: number;
}

/** Selects the time of sending and the dates that the mail offers. Values stay while switched off. */
export function ScheduleSettings({ settings, schedule, faults, now }: Props) {
  const { candidate_dates } = settings;

  function offerDates(has_candidate_dates: boolean): void {
    const rows = candidate_dates.length === 0 ? [nextCandidate([], now, schedule.sendAt)] : candidate_dates;
    updateAttackListSettings({ has_candidate_dates, candidate_dates: rows });
  }

  return (
    <>
      <div className={panel.mode}>
        <ModeSwitch
          label={SCHEDULE_MESSAGES.reservationMode}
          checked={settings.is_reservation_mode}
          onChange={(is_reservation_mode) => updateAttackListSettings({ is_reservation_mode })}
        />
        {schedule.sendAt === null ? null : (
          <ReservationPicker
            sendAt={schedule.sendAt}
            now={now}
            fault={faults.sendAt}
            onChange={(send_at) => updateAttackListSettings({ send_at })}
          />
        )}
      </div>
      <ModeSwitch
        label={SCHEDULE_MESSAGES.candidateDates}
        checked={settings.has_candidate_dates}
        onChange={offerDates}
      />
      {schedule.candidateDates === null ? null : (
        <CandidateDatesEditor
          rows={schedule.candidateDates}
          faults={faults.candidates}
          now={now}
          onChange={(rows) => updateAttackListSettings({ candidate_dates: rows })}
        />
      )}
    </>
  );
}

interface ReservationPickerProps {
  /** Epoch milliseconds, as `now`. */
  readonly sendAt: number;
  readonly now: number;
  readonly fault: string | undefined;
  /** null: the default, which moves with the clock. */
  readonly onChange: (sendAt: number | null) => void;
}

/** Selects the day and time of a reservation, in Tokyo time. */
function ReservationPicker({ sendAt, now, fault, onChange }: ReservationPickerProps) {
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
        choices={withTime(reservationTimes(day, now), time).map((value) => ({ value, label: value }))}
        value={time}
        error={fault !== undefined}
        onChange={(newTime) => choose(day, newTime)}
      />
    </div>
  );
}
