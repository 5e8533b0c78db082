import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Run } from '#contract/sending/runs.ts';
import { Button } from '#web/components/button.tsx';
import { Menu } from '#web/components/dialog/menu.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { TestTag } from '#web/components/inline/test-tag.tsx';
import { NotThere, PageFrame, type WayBack } from '#web/components/page-frame.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import { hasStatus } from '#web/lib/api/query-client.ts';
import { useRunEvents } from '#web/lib/api/run-events.ts';
import { sendLog } from '#web/lib/data/send-log.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { type Action, retryFailed, stepsOf } from '../actions.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { DeliveryList } from '../deliveries/delivery-list.tsx';
import type { DeliveryParts } from '../deliveries/delivery-parts.ts';
import styles from '../send-history.module.css';
import { RunBadge } from '../status-badges.tsx';
import { HISTORY_MESSAGES } from '../words.ts';
import { reloadRun } from './reload-run.ts';
import { RunFacts } from './run-facts.tsx';
import { isPutOff } from './run-state.ts';
import { useMayAct } from './use-may-act.ts';
import { type RunOrigin, runOrigin } from './view-run-origin.ts';

/** The parts of a run that other features render. A route passes them in. */
export interface RunParts {
  /** Renders the filters of the list. */
  readonly renderConditions: (conditions: NonNullable<RunOrigin['list_conditions']>) => ReactNode;
  /** Renders further entries of the menu. @param origin undefined: not loaded, or unknown */
  readonly renderMenu: (run: Run, origin: RunOrigin | undefined) => ReactNode;
  /** Renders other features' actions beside this feature's. */
  readonly renderActs?: (run: Run) => ReactNode;
  /** Renders the chart of the run's results. */
  readonly renderChart?: (run: Run) => ReactNode;
}

interface Props {
  readonly id: number;
  /** Leads to the history. */
  readonly back: WayBack;
  readonly parts: DeliveryParts;
  readonly runParts: RunParts;
}

/** Shows one run: its progress, its actions and its mails. */
export function RunDetail({ id, back, parts, runParts }: Props) {
  useRunEvents();
  const { data: run, error, refetch } = useQuery(sendLog(id));
  const messages = HISTORY_MESSAGES;
  if (run === undefined) {
    return (
      <PageFrame title={messages.details} back={back} guide="results">
        {hasStatus(error, 404) ? (
          <NotThere title={messages.notFound} help={messages.notFoundHelp} back={back} />
        ) : (
          <NotLoaded what={HISTORY_MESSAGES.details} error={error} onRetry={() => void refetch()} />
        )}
      </PageFrame>
    );
  }
  return <LoadedRun run={run} back={back} parts={parts} runParts={runParts} />;
}

function LoadedRun({ run, back, parts, runParts }: Omit<Props, 'id'> & { readonly run: Run }) {
  const { data: origin, isPlaceholderData } = useQuery(runOrigin(run));
  return (
    <PageFrame
      title={run.subject || HISTORY_MESSAGES.details}
      marks={
        <span role="status" className="line">
          <RunBadge run={run} /> {run.test_send_mode === 1 ? <TestTag /> : null}
        </span>
      }
      back={back}
      tools={
        <RunActions run={run} hasList={Boolean(origin?.list_conditions)} menu={runParts.renderMenu(run, origin)}>
          {runParts.renderActs?.(run)}
        </RunActions>
      }
      guide="results"
    >
      <div className={`fill ${styles.list}`}>
        <RunNotice run={run} />
        <RunFacts
          run={run}
          origin={origin}
          isOutdated={isPlaceholderData}
          renderConditions={runParts.renderConditions}
        />
        {runParts.renderChart?.(run)}
        <DeliveryList run={run} parts={parts} />
      </div>
    </PageFrame>
  );
}

/** Shows why no mails are being sent, and the remedy. */
function RunNotice({ run }: { readonly run: Run }) {
  const text = noticeText(run);
  if (text === null) return null;
  return (
    <Notice tone="warning" act={<NoticeAct run={run} />}>
      {text}
    </Notice>
  );
}

/** Shows the decision that the notice asks for, or leads to the settings that have the cause. */
function NoticeAct({ run }: { readonly run: Run }) {
  const { toSender, toDomains } = HISTORY_MESSAGES;
  if (run.paused_by === 'restored') {
    return (
      <span className="row">
        <Steps run={run} />
      </span>
    );
  }
  if (run.paused_by === 'sender_refused') return <ButtonLink to={PATHS.settingsGroups}>{toSender}</ButtonLink>;
  return run.paused_by === 'policy_bounces' ? <ButtonLink to={PATHS.settingsDomains}>{toDomains}</ButtonLink> : null;
}

function noticeText(run: Run): string | null {
  const { archived, paused_by, database_rewound, limited_until, transport_paused_until } = run;
  const { pausedBy, databaseRewound, transportPaused } = HISTORY_MESSAGES;
  if (archived > 0) return HISTORY_MESSAGES.archived(archived);
  if (paused_by !== null) return pausedBy[paused_by];
  if (database_rewound) return databaseRewound;
  // Waiting needs no action, and the sentence above already says it.
  if (isPutOff(run)) return null;
  if (limited_until !== null) return HISTORY_MESSAGES.limited(sentenceTime(limited_until));
  return transport_paused_until === null ? null : transportPaused(sentenceTime(transport_paused_until));
}

/** Shows the buttons that pause, resume or cancel a run. */
function Steps({ run }: { readonly run: Run }) {
  const [asked, setAsked] = useState<Action | null>(null);
  const client = useQueryClient();
  if (!useMayAct(run)) return null;
  return (
    <>
      {stepsOf(run).map((action) => (
        <Button key={action.button} onClick={() => setAsked(action)}>
          {action.button}
        </Button>
      ))}
      {asked === null ? null : (
        <ConfirmDialog action={asked} onClose={() => setAsked(null)} onChanged={() => reloadRun(client, run.id)} />
      )}
    </>
  );
}

interface RunActionsProps {
  readonly run: Run;
  /** Whether the list of the run can be prepared again. */
  readonly hasList: boolean;
  /** Further entries of the menu: the export, and the one that prepares the list. */
  readonly menu: ReactNode;
  /** Further actions, before the menu. */
  readonly children?: ReactNode;
}

/** Shows the actions that a run permits in its state: for an open run buttons, the others in a menu. */
function RunActions({ run, hasList, menu, children }: RunActionsProps) {
  const [asked, setAsked] = useState<Action | null>(null);
  const client = useQueryClient();
  const [mayAct, mayExport] = [useMayAct(run), useMay('startExport')];
  const canRetry = mayAct && run.failed > 0 && run.archived === 0;
  const hasMenu = mayExport || canRetry || (mayAct && hasList);
  return (
    <>
      {run.paused_by === 'restored' ? null : <Steps run={run} />}
      {children}
      {hasMenu ? (
        <Menu
          className={styles.more}
          label={
            <>
              <IconDots size={20} aria-hidden />
              <span className="visually-hidden">{HISTORY_MESSAGES.more}</span>
            </>
          }
        >
          {canRetry ? (
            <button type="button" onClick={() => setAsked(retryFailed(run))}>
              {HISTORY_MESSAGES.retry.button}
            </button>
          ) : null}
          {menu}
        </Menu>
      ) : null}
      {asked === null ? null : (
        <ConfirmDialog action={asked} onClose={() => setAsked(null)} onChanged={() => reloadRun(client, run.id)} />
      )}
    </>
  );
}
