import { useQuery } from '@tanstack/react-query';
import { dayOf, parseDateTime } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { SelectField } from '#web/components/select-field.tsx';
import { useDebounced } from '#web/lib/use-debounced.ts';
import { minuteWithWeekday } from '#web/lib/with-weekday.ts';
import { type AttackListSettings, followUpOf, updateAttackListSettings } from './attack-list-state.ts';
import { type FollowUpRun, followUpRun, followUpRuns } from './follow-up-runs.ts';
import styles from './settings-panel.module.css';
import { FOLLOW_UP_MESSAGES as messages } from './words.ts';

interface Props {
  readonly settings: AttackListSettings;
  readonly senderGroupId: number;
}

/** Chooses between first mails and the follow-up of a run. It is there once a run is old enough. */
export function FollowUpField({ settings, senderGroupId }: Props) {
  const { data } = useQuery(followUpRuns(senderGroupId, useDebounced(settings.days_from_lastday)));
  const chosen = followUpOf(settings, senderGroupId);
  const { data: young } = useQuery(followUpRun(chosen ?? 0, chosen !== undefined && data !== undefined));
  if (chosen === undefined && (data === undefined || data.length === 0)) return null;
  const runs = (data ?? []).map(({ id, sent_at, subject }) => ({
    value: String(id),
    label: messages.run(minuteWithWeekday(sent_at), subject),
  }));
  const isListed = chosen === undefined || data?.some(({ id }) => id === chosen) === true;
  const missing = youngLabel(
    young?.find(({ id }) => id === chosen),
    settings.days_from_lastday,
  );
  return (
    <SelectField
      className={styles.wide}
      label={messages.label}
      help={chosen === undefined ? undefined : messages.help}
      choices={[
        { value: '', label: messages.none },
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

/** Names a run that is too young for the re-send interval, with the day from which it can be followed up. */
function youngLabel(run: FollowUpRun | undefined, days: number): string {
  if (run === undefined) return messages.unnamed;
  const from = dayOf((parseDateTime(run.sent_at) ?? 0) + days * DAY_MS);
  return messages.tooRecent(messages.run(minuteWithWeekday(run.sent_at), run.subject), monthAndDay(from));
}

const monthAndDay = (day: string): string => `${Number(day.slice(5, 7))}/${Number(day.slice(8))}`;
