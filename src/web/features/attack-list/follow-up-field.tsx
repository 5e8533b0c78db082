import { useQuery } from '@tanstack/react-query';
import { SelectField } from '#web/components/select-field.tsx';
import { useDebounced } from '#web/lib/use-debounced.ts';
import { type AttackListSettings, followUpOf, updateAttackListSettings } from './attack-list-state.ts';
import { followUpRuns } from './follow-up-runs.ts';
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
  if (chosen === undefined && (data === undefined || data.length === 0)) return null;
  const runs = (data ?? []).map(({ id, sent_at, subject }) => ({
    value: String(id),
    label: messages.run(sent_at.slice(0, 16), subject),
  }));
  const isListed = chosen === undefined || data?.some(({ id }) => id === chosen) === true;
  const missing = data === undefined ? messages.unnamed : messages.tooRecent;
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
