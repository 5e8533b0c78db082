import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs';
import IconHourglass from '@tabler/icons-react/dist/esm/icons/IconHourglass.mjs';
import IconMoon from '@tabler/icons-react/dist/esm/icons/IconMoon.mjs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, useRef } from 'react';
import { SelectField } from '#web/components/field/select-field.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { StatusBadge, type StatusLook } from '#web/components/inline/status-badge.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { accountRule } from '#web/lib/data/account-rule.ts';
import { type GroupRules, groupRules } from '#web/lib/data/group-rules.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { sentenceClock, sentenceTime } from '#web/lib/screen-time.ts';
import { ClosingDays } from './closing-days/closing-days.tsx';
import { closingDays, type Group } from './closing-days/closing-days-query.ts';
import { GroupHours } from './hours/group-hours.tsx';
import { rulesSentence } from './hours/rules-sentence.ts';
import styles from './sending-rules.module.css';
import { SENDING_RULE_MESSAGES as messages } from './words.ts';

// The last part of the screen, so that nothing jumps when it loads.
const AccountRules = lazy(() =>
  loadPart(() => import('./account-rules.tsx')).then(({ AccountRules: rules }) => ({ default: rules })),
);

interface Props {
  /** The active groups. */
  readonly groups: readonly Group[];
  /** The group in the address; undefined: the first one. */
  readonly groupId: number | undefined;
  readonly onGroup: (id: number) => void;
}

/** Edits when a group sends, and the rules for the account's sending. */
export function SendingRules({ groups, groupId, onGroup }: Props) {
  const client = useQueryClient();
  const group = groups.find(({ id }) => id === groupId) ?? groups[0];
  // All parts at once, because nothing below a part may jump when it loads.
  const rules = useQuery({ ...groupRules(group?.id ?? 0), enabled: group !== undefined, refetchOnWindowFocus: false });
  const days = useQuery(closingDays);
  const account = useQuery(accountRule);
  const chosen = useRef<number>(undefined);

  /** Shows a group once its rules have loaded, unless another one was chosen meanwhile. */
  async function choose(id: number): Promise<void> {
    chosen.current = id;
    await client.prefetchQuery(groupRules(id));
    if (chosen.current === id) onGroup(id);
  }

  const asked = [...(group === undefined ? [] : [rules]), days, account];
  if (days.data === undefined || account.data === undefined || (group !== undefined && rules.data === undefined)) {
    return (
      <NotLoaded
        what={messages.title}
        error={asked.find(({ error }) => error)?.error ?? null}
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
          <section className={`surface ${styles.head}`} aria-label={messages.holds}>
            <SelectField
              label={messages.group}
              className={styles.group}
              choices={groups.map(({ id, group_name }) => ({ value: String(id), label: group_name }))}
              value={String(group.id)}
              onChange={(id) => void choose(Number(id))}
            />
            {rules.data === undefined ? null : <Holds rules={rules.data} perDay={account.data.per_day} />}
          </section>
          {rules.data === undefined ? null : <GroupHours key={group.id} rules={rules.data} />}
        </>
      )}
      <ClosingDays rows={days.data} groups={groups} rules={rules.data} />
      <PartBoundary>
        <AccountRules rule={account.data} />
      </PartBoundary>
    </div>
  );
}

/** Shows what the rules do, and their current state. */
function Holds({ rules, perDay }: { readonly rules: GroupRules; readonly perDay: number | null }) {
  const { times, rest } = rulesSentence(rules, perDay);
  return (
    <div className={styles.holds}>
      <p className={styles.times}>{times}</p>
      <p className="note">{rest}</p>
      <Now rules={rules} />
    </div>
  );
}

/** Says whether the group is open, until or from when, and how much it may still send today. */
function Now({ rules: { now, outside } }: { readonly rules: GroupRules }) {
  const { open, reason, closes_at, next_open_at, left_today: left } = now;
  const next = open === 1 || next_open_at === null ? '' : messages.now.next[outside](sentenceTime(next_open_at));
  return (
    <p role="status" aria-label={messages.nowLabel} className="row">
      {open === 1 ? (
        <StatusBadge look={OPEN} word={messages.states.open(sentenceClock(closes_at ?? ''))} />
      ) : (
        <StatusBadge look={CLOSED} word={messages.states.closed(reason ?? '')} />
      )}
      {left === 0 ? <StatusBadge look={USED} word={messages.states.used} /> : null}
      <span className="note">{next + (left === null || left === 0 ? '' : messages.now.left(left))}</span>
    </p>
  );
}

const OPEN: StatusLook = { tone: 'green', Icon: IconCheck };
const CLOSED: StatusLook = { tone: 'neutral', Icon: IconMoon };
const USED: StatusLook = { tone: 'amber', Icon: IconHourglass };
