import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, useEffect, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { Matches, MatchesPlace } from '#web/components/inline/matches.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { Loading } from '#web/components/state/loading.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { Tabs } from '#web/components/tabs.tsx';
import { clearAsideOfOthers, listChosen, listCondition } from '#web/features/attack-list/attack-list-state.ts';
import { ATTACK_LIST_MESSAGES } from '#web/features/attack-list/words.ts';
import type { ExportSource } from '#web/features/exports/start-export.ts';
import type { CompanyLinks } from '#web/features/prospects/company-name.tsx';
import { setSavedCondition } from '#web/features/prospects/filter/filter-state.ts';
import type { FilterCheck } from '#web/features/prospects/filter/use-filter-check.ts';
import { ProspectList } from '#web/features/prospects/prospect-list.tsx';
import { PROSPECT_MESSAGES } from '#web/features/prospects/words.ts';
import { RESERVATION_MESSAGES } from '#web/features/reservations/words.ts';
import type { Orders } from '#web/features/runs/orders.tsx';
import { type CurrentSender, hasNoSender } from '#web/features/senders/use-current-sender.ts';
import { SENDER_MESSAGES } from '#web/features/senders/words.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { APP_MESSAGES } from '../words.ts';
import styles from './attack-list.module.css';
import { ListCure } from './list-cure.tsx';
import { ReservationTab } from './reservation-tab.tsx';
import { type useListParams, useListQueries } from './use-list-queries.ts';

interface Props {
  readonly list: ReturnType<typeof useListParams>;
  readonly senders: CurrentSender;
  readonly filterCheck: FilterCheck;
  readonly orders: Orders;
  readonly onExport: (source: ExportSource) => void;
  readonly links: CompanyLinks;
  /** Adds a company. */
  readonly onAdd: () => void;
  /** Shown beside the export button of the list. */
  readonly tools: ReactNode;
}

/** Shows one of the screen's three lists. */
export function ListTabs(props: Props) {
  const { list } = props;
  const groupId = props.senders.group?.id;
  const { base, prospects } = useListQueries(list, groupId);
  // On phones, where the tabs have no space for the count, each list shows its count itself.
  const isNarrow = useNarrowScreen();
  const [place, setPlace] = useState<HTMLElement | null>(null);
  useEffect(() => {
    if (groupId !== undefined) clearAsideOfOthers(groupId);
  }, [groupId]);
  return (
    <MatchesPlace value={place}>
      <Tabs
        label={APP_MESSAGES.tabs}
        shown={list.tab}
        onShow={list.setTab}
        classes={{ root: styles.tabs, panel: styles.panel, tab: styles.tab }}
        end={isNarrow ? null : <strong ref={setPlace} className={styles.matches} />}
        tabs={[
          { name: 'prospects', label: PROSPECT_MESSAGES.list, panel: <Prospects {...props} query={prospects} /> },
          { name: 'reservations', label: RESERVATION_MESSAGES.list, panel: <Reservations {...props} query={base} /> },
          { name: 'attack-list', label: ATTACK_LIST_MESSAGES.list, panel: <Targets {...props} query={base} /> },
        ]}
      />
    </MatchesPlace>
  );
}

interface PanelProps extends Props {
  readonly query: ReturnType<typeof useListQueries>['base'];
}

function Prospects({ list, senders, query, links, onExport, onAdd, tools }: PanelProps) {
  if (senders.group === undefined) {
    return <NoList reason={senders.groups && PROSPECT_MESSAGES.noGroup} senders={senders} />;
  }
  const groupId = senders.group.id;
  return (
    <ProspectList
      query={query}
      status={list.status}
      sort={list.sort}
      onStatus={list.setStatus}
      onSort={list.setSort}
      onPage={list.setPage}
      onClear={() => {
        setSavedCondition(null);
        list.setStatus(undefined);
        list.setFilter({});
      }}
      onExport={({ condition, ...exported }) =>
        onExport({ what: 'prospects', list: { sender_group_id: groupId, ...condition, ...list.sort }, ...exported })
      }
      onAttackList={(chosen) => {
        if (chosen !== undefined) listChosen(chosen);
        else listCondition(list.status === 'archived' ? undefined : list.status);
        list.setTab('attack-list');
      }}
      links={links}
      cure={<ListCure onAdd={onAdd} />}
      tools={tools}
    />
  );
}

function Reservations({ list, senders, query, links }: PanelProps) {
  const client = useQueryClient();
  if (senders.sender === undefined) {
    const gone = senders.isGone ? SENDER_MESSAGES.gone : undefined;
    return <NoList reason={hasNoSender(senders) ? RESERVATION_MESSAGES.noSender : gone} senders={senders} />;
  }
  return (
    <ReservationTab
      base={query}
      sender={senders.sender}
      reservation={list.reservation}
      onReservation={list.setReservation}
      page={list.page}
      onPage={list.setPage}
      sort={list.sort}
      onSort={list.setSort}
      links={links}
      onChanged={() => reloadLists(client)}
    />
  );
}

const AttackListTab = lazy(() => loadPart(() => import('./attack-list-tab.tsx')));

function Targets({ senders, query, ...props }: PanelProps) {
  if (senders.group === undefined) {
    return <NoList reason={senders.groups && ATTACK_LIST_MESSAGES.noGroup} senders={senders} />;
  }
  return (
    <PartBoundary waiting={<Loading />}>
      <AttackListTab {...props} query={query} senders={senders} group={senders.group} />
    </PartBoundary>
  );
}

interface NoListProps {
  /** Why no list can be shown, and the remedy; undefined: its group or sender is not loaded. */
  readonly reason: string | undefined;
  readonly senders: CurrentSender;
}

/** Shown in place of a list whose group or sender is missing or not loaded. */
function NoList({ reason, senders: { error, retry, reload, groups, group, isGone } }: NoListProps) {
  const { noGroupHelp, noSenderHelp, goneHelp, askGroupHelp, askSenderHelp } = SENDER_MESSAGES;
  const hasGroup = groups?.length !== 0;
  const mayMend = useMay(hasGroup ? 'updateSender' : 'addSenderGroup', { groupId: group?.id });
  if (reason === undefined) {
    const failed =
      groups === undefined ? { what: SENDER_MESSAGES.group, error } : { what: SENDER_MESSAGES.sender, error: null };
    return (
      <>
        <Matches total={undefined} failed={retry !== undefined} />
        {retry === undefined ? <Loading /> : <LoadFailed {...failed} onRetry={retry} />}
      </>
    );
  }
  const ofSender = mayMend ? noSenderHelp : askSenderHelp;
  const ofGroup = mayMend ? noGroupHelp : askGroupHelp;
  return (
    <div className="surface">
      <EmptyState
        kind={hasGroup ? 'template' : 'companies'}
        title={reason}
        help={isGone ? goneHelp : hasGroup ? ofSender : ofGroup}
      >
        {isGone ? null : (
          <>
            {mayMend ? (
              <ButtonLink variant="primary" to={PATHS.settingsGroups}>
                {SENDER_MESSAGES.settings}
              </ButtonLink>
            ) : null}
            <Button onClick={reload}>{COMMON_MESSAGES.actions.retry}</Button>
          </>
        )}
      </EmptyState>
    </div>
  );
}
