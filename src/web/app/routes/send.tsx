import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Run } from '#contract/sending/runs.ts';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import {
  endListSource,
  repeatSettings,
  updateAttackListSettings,
} from '#web/features/attack-list/attack-list-state.ts';
import { followUpRun } from '#web/features/attack-list/settings/follow-up-runs.ts';
import { ATTACK_LIST_MESSAGES, FOLLOW_UP_MESSAGES } from '#web/features/attack-list/words.ts';
import { ExportPart } from '#web/features/exports/export-part.tsx';
import type { ExportSource } from '#web/features/exports/start-export.ts';
import { conditionsOf, useConditionNames } from '#web/features/prospects/filter/conditions.ts';
import { setSavedCondition } from '#web/features/prospects/filter/filter-state.ts';
import { FILTER_MESSAGES } from '#web/features/prospects/filter/words.ts';
import { RunResultsPart } from '#web/features/reports/run-results.tsx';
import { RunDetail, type RunParts } from '#web/features/send-logs/run/run-detail.tsx';
import type { RunOrigin } from '#web/features/send-logs/run/view-run-origin.ts';
import { RUN_ORIGIN_MESSAGES } from '#web/features/send-logs/run/words.ts';
import { HISTORY_MESSAGES } from '#web/features/send-logs/words.ts';
import { selectSender, selectSenderGroup } from '#web/features/senders/senders-state.ts';
import { filterChange, listPath, readId } from '#web/lib/address/params.ts';
import { ATTACK_LIST_PATH, PATHS } from '#web/lib/address/paths.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { useNavigate, useParams } from '#web/lib/router/use-router.ts';
import { May } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { DELIVERY_PARTS } from '../mails/delivery-parts.tsx';
import { NotFound } from './not-found.tsx';

const renderConditions: RunParts['renderConditions'] = (conditions) => <Conditions of={conditions} />;

/** Names the filters of a run's list. */
function Conditions({ of: { status, ...filter } }: { readonly of: NonNullable<RunOrigin['list_conditions']> }) {
  useConditionNames(filter);
  const texts = [
    ...(status === undefined ? [] : [ATTACK_LIST_MESSAGES.status(DATA_MESSAGES.prospects.statuses[status])]),
    ...conditionsOf(filter).map(({ label, value }) => FILTER_MESSAGES.chip(label, value)),
  ];
  return texts.join(LIST_SEPARATOR) || RUN_ORIGIN_MESSAGES.everyone;
}

const renderActs = (run: Run) => <FollowUpLink run={run} />;

const renderChart = (run: Run) => <RunResultsPart run={run} />;

export function Component() {
  const id = readId(useParams().id);
  const { exported, endExport, renderMenu } = useRunMenu();
  if (id === undefined) return <NotFound />;
  return (
    <>
      <RunDetail
        key={id}
        id={id}
        back={{ to: PATHS.sends, label: HISTORY_MESSAGES.title }}
        parts={DELIVERY_PARTS}
        runParts={{ renderConditions, renderMenu, renderActs, renderChart }}
      />
      <ExportPart source={exported} onClose={endExport} />
    </>
  );
}

/** Reserves the link's place while it loads: on phones it has its own line. */
const Room = () => (
  <span style={{ visibility: 'hidden' }}>
    <ButtonLink to={ATTACK_LIST_PATH}>{FOLLOW_UP_MESSAGES.label}</ButtonLink>
  </span>
);

/** Links a run to the attack list of its follow-up, without filters. Shown only if the run can have a follow-up. */
function FollowUpLink({ run: { id, test_send_mode, sent } }: { readonly run: Run }) {
  const { data: [found] = [], isLoading } = useQuery(followUpRun(id, test_send_mode === 0 && sent > 0));
  if (isLoading) return <Room />;
  if (found === undefined) return null;

  function choose({ sender_group_id }: { sender_group_id: number }): void {
    selectSenderGroup(sender_group_id);
    setSavedCondition(null);
    endListSource();
    updateAttackListSettings({ follow_up: { sender_group_id, send_log_id: id } });
  }

  return (
    <May call="sendMail" groupId={found.sender_group_id}>
      <ButtonLink to={ATTACK_LIST_PATH} onClick={() => choose(found)}>
        {FOLLOW_UP_MESSAGES.label}
      </ButtonLink>
    </May>
  );
}

/** Returns the entries of other features for a run's menu, and the export that was chosen there. */
function useRunMenu() {
  const [exported, setExported] = useState<ExportSource | null>(null);
  const navigate = useNavigate();

  const renderMenu = (run: Run, origin: RunOrigin | undefined) => (
    <>
      <May call="startExport">
        <button type="button" onClick={() => setExported({ what: 'deliveries', send_log_id: run.id })}>
          {COMMON_MESSAGES.actions.export}
        </button>
      </May>
      {origin?.list_conditions ? (
        <May call="sendMail" groupId={origin.sender_group_id}>
          <button type="button" onClick={() => void navigate(prepareSameList(run, origin))}>
            {RUN_ORIGIN_MESSAGES.repeat}
          </button>
        </May>
      ) : null}
    </>
  );

  return { exported, endExport: () => setExported(null), renderMenu };
}

/** Prepares the attack list with the sender and settings of a run. Returns the address of the run's list. */
function prepareSameList({ targets, send_to }: Run, { list_conditions, ...origin }: RunOrigin): string {
  selectSenderGroup(origin.sender_group_id);
  selectSender(origin.sender_id);
  const { sort, order, status, ...filter } = list_conditions ?? {};
  repeatSettings({ days_from_lastday: origin.days_from_lastday, send_to, targets, status });
  return listPath({ tab: 'attack-list', ...filterChange(filter), sort, order });
}
