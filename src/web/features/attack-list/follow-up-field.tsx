import { queryOptions, useQuery } from '@tanstack/react-query';
import type { listFollowUpRuns } from '#contract/attack-list.ts';
import type { CallAnswer } from '#contract/call.ts';
import { SelectField } from '#web/components/select-field.tsx';
import { callApi } from '#web/lib/api-client.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { ATTACK_LIST } from '#web/lib/query-keys.ts';
import { useDebounced } from '#web/lib/use-debounced.ts';
import { type AttackListSettings, followUpOf, updateAttackListSettings } from './attack-list-state.ts';
import styles from './settings-panel.module.css';
import { FOLLOW_UP_MESSAGES as messages } from './words.ts';

/** The runs that can be followed up. Without them the list still works, so a failure is not reported. */
const followUpRuns = (sender_group_id: number, days_from_lastday: number) =>
  queryOptions({
    queryKey: [ATTACK_LIST, 'follow_up_runs', sender_group_id, days_from_lastday],
    queryFn: async ({ signal }): Promise<CallAnswer<typeof listFollowUpRuns>['rows']> => {
      const query = { sender_group_id, days_from_lastday };
      const answer = await callApi<typeof listFollowUpRuns>(
        'GET',
        '/attack_list/follow_up_runs',
        { query },
        { signal },
      );
      return unwrap(answer).rows;
    },
    enabled: sender_group_id > 0,
    meta: { quiet: true },
  });

interface Props {
  readonly settings: AttackListSettings;
  readonly senderGroupId: number;
}

/** Chooses between first mails and the follow-up of a run. It is there once a run is old enough. */
export function FollowUpField({ settings, senderGroupId }: Props) {
  const { data = [] } = useQuery(followUpRuns(senderGroupId, useDebounced(settings.days_from_lastday)));
  const chosen = followUpOf(settings, senderGroupId);
  if (data.length === 0 && chosen === undefined) return null;
  const runs = data.map(({ id, sent_at, subject }) => ({
    value: String(id),
    label: messages.run(sent_at.slice(0, 16), subject),
  }));
  const isListed = chosen === undefined || data.some(({ id }) => id === chosen);
  return (
    <SelectField
      className={styles.wide}
      label={messages.label}
      help={chosen === undefined ? undefined : messages.help}
      choices={[
        { value: '', label: messages.none },
        ...(isListed ? [] : [{ value: String(chosen), label: messages.tooRecent }]),
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
