import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '#web/components/button-link.tsx';
import { EmptyState } from '#web/components/empty-state.tsx';
import { NotLoaded } from '#web/components/not-loaded.tsx';
import { SelectField } from '#web/components/select-field.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { minuteWithWeekday } from '#web/lib/with-weekday.ts';
import { AccountRules } from './account-rules.tsx';
import { ClosingDays, type Group } from './closing-days/closing-days.tsx';
import { GroupHours } from './hours/group-hours.tsx';
import type { GroupRules } from './hours/hours-form.ts';
import { groupRules } from './rules-query.ts';
import styles from './sending-rules.module.css';
import { SENDING_RULE_MESSAGES as messages } from './words.ts';

interface Props {
  /** The groups in use; undefined: loading. */
  readonly groups: readonly Group[] | undefined;
  /** The group in the address; undefined: the first one. */
  readonly groupId: number | undefined;
  readonly onGroup: (id: number) => void;
}

/** Chooses when a group sends, and the rules of the account's sending. */
export function SendingRules({ groups, groupId, onGroup }: Props) {
  const shown = groups?.find(({ id }) => id === groupId) ?? groups?.[0];
  return (
    <div className="stack-wide">
      {groups !== undefined && shown === undefined ? (
        <EmptyState kind="none" title={messages.noGroup} help={messages.noGroupHelp}>
          <ButtonLink to={PATHS.settingsGroups}>{messages.openGroups}</ButtonLink>
        </EmptyState>
      ) : null}
      {groups === undefined || shown === undefined ? null : (
        <RulesOfGroup key={shown.id} groups={groups} group={shown} onGroup={onGroup} />
      )}
      {groups === undefined ? null : <ClosingDays groups={groups} />}
      <AccountRules />
    </div>
  );
}

interface GroupProps {
  readonly groups: readonly Group[];
  readonly group: Group;
  readonly onGroup: (id: number) => void;
}

/** What a group has of its own, below the sentence of what holds now. */
function RulesOfGroup({ groups, group, onGroup }: GroupProps) {
  const { data, isError, refetch } = useQuery({ ...groupRules(group.id), refetchOnWindowFocus: false });
  return (
    <>
      <div className={styles.head}>
        <SelectField
          label={messages.group}
          className={styles.group}
          choices={groups.map(({ id, group_name }) => ({ value: String(id), label: group_name }))}
          value={String(group.id)}
          onChange={(id) => onGroup(Number(id))}
        />
        {data === undefined ? null : <Now rules={data} />}
      </div>
      {data === undefined ? (
        <NotLoaded hasFailed={isError} onRetry={() => void refetch()} />
      ) : (
        <GroupHours rules={data} />
      )}
    </>
  );
}

function Now({ rules }: { readonly rules: GroupRules }) {
  return (
    <p role="status" aria-label={messages.now.label} className={styles.now}>
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
  const next = next_open_at === null ? '' : minuteWithWeekday(next_open_at);
  return messages.now.closed(reason ?? '') + messages.now.next[outside](next) + left;
}
