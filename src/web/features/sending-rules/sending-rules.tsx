import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { ButtonLink } from '#web/components/button-link.tsx';
import { EmptyState } from '#web/components/empty-state.tsx';
import { NotLoaded } from '#web/components/not-loaded.tsx';
import { SelectField } from '#web/components/select-field.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { type GroupRules, groupRules } from '#web/lib/group-rules.ts';
import { spokenMinute } from '#web/lib/with-weekday.ts';
import { accountRule } from './account-rule-query.ts';
import { AccountRules } from './account-rules.tsx';
import { ClosingDays } from './closing-days/closing-days.tsx';
import { closingDays, type Group } from './closing-days/closing-days-query.ts';
import { GroupHours } from './hours/group-hours.tsx';
import styles from './sending-rules.module.css';
import { SENDING_RULE_MESSAGES as messages } from './words.ts';

interface Props {
  /** The groups in use. */
  readonly groups: readonly Group[];
  /** The group in the address; undefined: the first one. */
  readonly groupId: number | undefined;
  readonly onGroup: (id: number) => void;
}

/** Chooses when a group sends, and the rules of the account's sending. */
export function SendingRules({ groups, groupId, onGroup }: Props) {
  const client = useQueryClient();
  const group = groups.find(({ id }) => id === groupId) ?? groups[0];
  // All at once, as nothing below a part may jump when it comes.
  const rules = useQuery({ ...groupRules(group?.id ?? 0), enabled: group !== undefined, refetchOnWindowFocus: false });
  const days = useQuery(closingDays);
  const account = useQuery(accountRule);
  const chosen = useRef<number>(undefined);

  /** Shows a group once its rules have come, unless another one was chosen meanwhile. */
  async function choose(id: number): Promise<void> {
    chosen.current = id;
    await client.prefetchQuery(groupRules(id));
    if (chosen.current === id) onGroup(id);
  }

  const asked = [...(group === undefined ? [] : [rules]), days, account];
  if (days.data === undefined || account.data === undefined || (group !== undefined && rules.data === undefined)) {
    return (
      <NotLoaded
        hasFailed={asked.some(({ isError }) => isError)}
        onRetry={() => void Promise.all(asked.map(({ refetch }) => refetch()))}
      />
    );
  }
  return (
    <div className="stack-wide">
      {group === undefined ? (
        <EmptyState kind="none" title={messages.noGroup} help={messages.noGroupHelp}>
          <ButtonLink to={PATHS.settingsGroups}>{messages.openGroups}</ButtonLink>
        </EmptyState>
      ) : (
        <>
          <div className={styles.head}>
            <SelectField
              label={messages.group}
              className={styles.group}
              choices={groups.map(({ id, group_name }) => ({ value: String(id), label: group_name }))}
              value={String(group.id)}
              onChange={(id) => void choose(Number(id))}
            />
            {rules.data === undefined ? null : <Now rules={rules.data} />}
          </div>
          {rules.data === undefined ? null : <GroupHours key={group.id} rules={rules.data} />}
        </>
      )}
      <ClosingDays rows={days.data} groups={groups} groupId={group?.id} />
      <AccountRules rule={account.data} />
    </div>
  );
}

function Now({ rules }: { readonly rules: GroupRules }) {
  return (
    <p role="status" aria-label={messages.nowLabel} className={styles.now}>
      {nowText(rules)}
    </p>
  );
}

/** Returns the time of a date-time of the server, without the zero before its hour. */
const timeIn = (text: string): string => text.slice(11, 16).replace(/^0/, '');

/** Says whether the group is open, until or from when, and how much it may still send today. */
function nowText({ now, outside }: Pick<GroupRules, 'now' | 'outside'>): string {
  const { open, reason, closes_at, next_open_at, left_today } = now;
  const left = left_today === null ? '' : messages.now.left(left_today);
  if (open === 1) return messages.now.open(timeIn(closes_at ?? '')) + left;
  const next = next_open_at === null ? '' : spokenMinute(next_open_at);
  return messages.now.closed(reason ?? '') + messages.now.next[outside](next) + left;
}
