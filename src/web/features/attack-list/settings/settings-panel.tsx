import { useQuery } from '@tanstack/react-query';
import { FETCH_LIMITS, MAX_EMAIL_LENGTH } from '#domain/limits.ts';
import { SEND_TO } from '#domain/sending/attack-list.ts';
import { nextCandidate } from '#domain/sending/candidate-dates.ts';
import { dayOf, parseDateTime } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { CandidateDatesEditor } from '#web/components/schedule/candidate-dates-editor.tsx';
import { ReservationPicker } from '#web/components/schedule/reservation-picker.tsx';
import type { Schedule, ScheduleFaults } from '#web/components/schedule/schedule.ts';
import { SCHEDULE_MESSAGES } from '#web/components/schedule/words.ts';
import { useClosedDays } from '#web/lib/data/group-rules.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { useDebounced } from '#web/lib/screen/use-debounced.ts';
import { sentenceDay, sentenceTime } from '#web/lib/screen-time.ts';
import {
  type AttackListSettings,
  chooseSendTo,
  followUpOf,
  sendToOf,
  type TypedSettings,
  updateAttackListSettings,
  useHasPrimary,
} from '../attack-list-state.ts';
import { ATTACK_LIST_MESSAGES, FOLLOW_UP_MESSAGES } from '../words.ts';
import { type FollowUpRun, followUpRun, followUpRuns } from './follow-up-runs.ts';
import { ModeSwitch } from './mode-switch.tsx';
import type { SettingsFaults } from './settings-draft.ts';
import styles from './settings-panel.module.css';

const LIMITS = FETCH_LIMITS.map((limit) => ({ value: String(limit), label: ATTACK_LIST_MESSAGES.limitOption(limit) }));

interface Props {
  readonly settings: AttackListSettings;
  readonly senderGroupId: number;
  readonly draft: TypedSettings;
  readonly faults: SettingsFaults;
  readonly onDraft: (change: Partial<TypedSettings>) => void;
  readonly schedule: Schedule;
  readonly timing: ScheduleFaults;
  readonly now: number;
}

export function SettingsPanel({ settings, senderGroupId, draft, faults, onDraft, schedule, timing, now }: Props) {
  const messages = ATTACK_LIST_MESSAGES;
  return (
    <div className={styles.panel}>
      <TextField
        className={styles.small}
        label={messages.days}
        inputMode="numeric"
        autoComplete="off"
        value={draft.days}
        help={settings.days_from_lastday === 0 ? messages.again : undefined}
        error={faults.days}
        onChange={(days) => onDraft({ days })}
      />
      <SendToField settings={settings} senderGroupId={senderGroupId} />
      <FollowUpField settings={settings} senderGroupId={senderGroupId} />
      <SelectField
        className={styles.small}
        label={messages.limit}
        choices={LIMITS}
        value={String(settings.limit_count)}
        onChange={(value) => updateAttackListSettings({ limit_count: Number(value) })}
      />
      <div className={styles.mode}>
        <ModeSwitch
          label={messages.testMode}
          checked={settings.is_test_mode}
          onChange={(is_test_mode) => updateAttackListSettings({ is_test_mode })}
        />
        {settings.is_test_mode ? (
          <>
            <TextField
              className={styles.wide}
              label={messages.testTo}
              type="text"
              inputMode="email"
              autoComplete="off"
              spellCheck={false}
              maxLength={MAX_EMAIL_LENGTH}
              info={messages.testToHelp}
              value={draft.testTo}
              error={faults.testTo}
              onChange={(testTo) => onDraft({ testTo })}
            />
            <TextField
              className={styles.small}
              label={messages.testLimit}
              inputMode="numeric"
              autoComplete="off"
              value={draft.testLimit}
              error={faults.testLimit}
              onChange={(testLimit) => onDraft({ testLimit })}
            />
          </>
        ) : null}
      </div>
      <ScheduleSettings settings={settings} groupId={senderGroupId} schedule={schedule} faults={timing} now={now} />
    </div>
  );
}

const SEND_TO_CHOICES = SEND_TO.toReversed().map((value) => ({ value, label: DATA_MESSAGES.sendTo.names[value] }));

/** Chooses between the companies' addresses and those of their main contact persons. Shown once one of them has one. */
function SendToField({ settings, senderGroupId }: FollowUpFieldProps) {
  const sendTo = sendToOf(settings, senderGroupId, useHasPrimary());
  if (sendTo === undefined) return null;
  return (
    <SelectField
      className={styles.sendTo}
      label={DATA_MESSAGES.sendTo.term}
      choices={SEND_TO_CHOICES}
      value={sendTo}
      onChange={(value) => chooseSendTo(value === 'company' ? value : 'primary_or_company')}
    />
  );
}

interface FollowUpFieldProps {
  readonly settings: AttackListSettings;
  readonly senderGroupId: number;
}

/** Chooses between first mails and the follow-up of a run. Shown once a run is old enough. */
function FollowUpField({ settings, senderGroupId }: FollowUpFieldProps) {
  const { data } = useQuery(followUpRuns(senderGroupId, useDebounced(settings.days_from_lastday)));
  const chosen = followUpOf(settings, senderGroupId);
  const { data: young } = useQuery(followUpRun(chosen ?? 0, chosen !== undefined && data !== undefined));
  if (chosen === undefined && (data === undefined || data.length === 0)) return null;
  const runs = (data ?? []).map(({ id, sent_at, subject }) => ({
    value: String(id),
    label: FOLLOW_UP_MESSAGES.run(sentenceTime(sent_at), subject),
  }));
  const isListed = chosen === undefined || data?.some(({ id }) => id === chosen) === true;
  const missing = youngLabel(
    young?.find(({ id }) => id === chosen),
    settings.days_from_lastday,
  );
  return (
    <SelectField
      className={chosen === undefined ? styles.wide : styles.run}
      label={FOLLOW_UP_MESSAGES.label}
      help={chosen === undefined ? undefined : FOLLOW_UP_MESSAGES.help}
      choices={[
        { value: '', label: FOLLOW_UP_MESSAGES.none },
        ...(isListed ? [] : [{ value: String(chosen), label: missing }]),
        ...runs,
      ]}
      value={chosen === undefined ? '' : String(chosen)}
      onChange={(value) =>
        updateAttackListSettings({
          follow_up: value === '' ? null : { sender_group_id: senderGroupId, send_log_id: Number(value) },
        })
      }
    />
  );
}

/** Returns a label for a run within the re-send interval, with the first day for its follow-up. */
function youngLabel(run: FollowUpRun | undefined, days: number): string {
  if (run === undefined) return FOLLOW_UP_MESSAGES.unnamed;
  const from = dayOf((parseDateTime(run.sent_at) ?? 0) + days * DAY_MS);
  return FOLLOW_UP_MESSAGES.tooRecent(
    FOLLOW_UP_MESSAGES.run(sentenceTime(run.sent_at), run.subject),
    sentenceDay(from),
  );
}

interface ScheduleProps {
  readonly settings: AttackListSettings;
  readonly groupId: number;
  readonly schedule: Schedule;
  readonly faults: ScheduleFaults;
  readonly now: number;
}

/** Selects the send time and the dates that the mail offers. A mode that is switched off keeps its values. */
function ScheduleSettings({ settings, groupId, schedule, faults, now }: ScheduleProps) {
  const closedOn = useClosedDays(groupId);
  const { candidate_dates } = settings;

  function offerDates(has_candidate_dates: boolean): void {
    const first = nextCandidate([], now, schedule.sendAt, (day) => closedOn(day) !== null);
    const rows = candidate_dates.length === 0 ? [first] : candidate_dates;
    updateAttackListSettings({ has_candidate_dates, candidate_dates: rows });
  }

  return (
    <>
      <div className={styles.mode}>
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
          groupId={groupId}
          now={now}
          onChange={(rows) => updateAttackListSettings({ candidate_dates: rows })}
        />
      )}
    </>
  );
}
