import { nextCandidate } from '#domain/sending/candidate-dates.ts';
import { type AttackListSettings, updateAttackListSettings } from './attack-list-state.ts';
import { CandidateDatesEditor } from './candidate-dates-editor.tsx';
import { ModeSwitch } from './mode-switch.tsx';
import { ReservationPicker } from './reservation-picker.tsx';
import type { Schedule, ScheduleFaults } from './schedule.ts';
import { SCHEDULE_MESSAGES } from './words.ts';

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
