import '@mantine/core/styles/Tabs.css';
import { Tabs } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'react-router';
import { Button } from '#web/components/button.tsx';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { Loading } from '#web/components/loading.tsx';
import { Matches, MatchesPlace } from '#web/components/matches.tsx';
import { AttackListPanel, type AttackOrder } from '#web/features/attack-list/attack-list-panel.tsx';
import { MailPreviewDialog } from '#web/features/mail-preview/mail-preview-dialog.tsx';
import type { MailPreviewOrder } from '#web/features/mail-preview/preview-mail.ts';
import { typedState } from '#web/features/prospect-filter/filter-draft.ts';
import { FilterPanel } from '#web/features/prospect-filter/filter-panel.tsx';
import { ProspectList } from '#web/features/prospects/prospect-list.tsx';
import { SenderSelects } from '#web/features/senders/sender-selects.tsx';
import { type CurrentSender, useCurrentSender } from '#web/features/senders/use-current-sender.ts';
import { RunProgress } from '#web/features/sending/run-progress.tsx';
import { SendDialog } from '#web/features/sending/send-dialog.tsx';
import type { SendOrder } from '#web/features/sending/send-mail.ts';
import { FILTER_WORDS } from '#web/lib/filter-words.ts';
import { HISTORY_WORDS } from '#web/lib/history-words.ts';
import { leadToFault } from '#web/lib/lead-to-fault.ts';
import type { Tab } from '#web/lib/list-params.ts';
import { ATTACK_LIST, PROSPECT_LIST, RESERVATION_LIST, SEND_LOG_LIST } from '#web/lib/query-keys.ts';
import { addRunningSendLog, goToPage, useSession } from '#web/lib/session-store.ts';
import { toast } from '#web/lib/toast.ts';
import { useListParams } from '#web/lib/use-list-params.ts';
import { usePageOf } from '#web/lib/use-page-of.ts';
import { PRODUCT_NAME, WORDS } from '#web/lib/words.ts';
import { sendPath, templatePath } from '../paths.ts';
import styles from './attack-list.module.css';
import { ReservationTab } from './reservation-tab.tsx';

export function Component() {
  const senders = useCurrentSender();
  const list = useListParams();
  const pagenate_count = useSession((state) => state.pagenate_count);
  const runs = useSession((state) => state.running_send_logs);
  const [order, setOrder] = useState<SendOrder | null>(null);
  const [ended, setEnded] = useState<number | null>(null);
  const [checked, setChecked] = useState<MailPreviewOrder | null>(null);
  const [matchesPlace, setMatchesPlace] = useState<HTMLElement | null>(null);
  const typed = useSession((state) => state.typed_filter);
  const typedFilter = typedState(typed?.fields, list.filter);
  const filters = useRef<HTMLElement>(null);
  const client = useQueryClient();
  const { group, sender } = senders;

  const reload = useCallback(() => {
    void client.invalidateQueries({ queryKey: [PROSPECT_LIST] });
    void client.invalidateQueries({ queryKey: [ATTACK_LIST] });
    void client.invalidateQueries({ queryKey: [RESERVATION_LIST] });
    void client.invalidateQueries({ queryKey: [SEND_LOG_LIST] });
  }, [client]);

  const finish = useCallback(
    (id: number) => {
      setEnded(id);
      reload();
    },
    [reload],
  );

  function tellSenderMissing(): void {
    const { noSender: none, noSenderNote, senderMissing } = WORDS.senders;
    toast('warning', noSender ? `${none}\n${noSenderNote}` : senderMissing);
  }

  /** Whoever typed a condition that cannot be read means to mail fewer companies than are listed. */
  function refusesFilter(): boolean {
    if (typedFilter !== 'faulty') return false;
    toast('warning', FILTER_WORDS.faulty);
    flushSync(() => useSession.setState({ is_filter_open: true }));
    leadToFault(filters.current);
    return true;
  }

  function openDialog(attack: AttackOrder): void {
    if (sender === undefined) tellSenderMissing();
    else setOrder({ ...attack, idempotencyKey: crypto.randomUUID(), senderId: sender.id, subject: sender.subject });
  }

  function openPreview(attack: AttackOrder): void {
    if (sender === undefined) tellSenderMissing();
    else setChecked({ ...attack, senderId: sender.id });
  }

  const base = { sender_group_id: group?.id ?? 0, ...list.filter, ...list.sort };
  const listed = { ...base, status: list.status };
  const held = useSession((state) => state.pagenate_num);
  const pagenate_num = usePageOf(group && JSON.stringify(listed), held, goToPage);
  const noGroup = senders.groups?.length === 0;
  const noSender = noGroup || senders.senders?.length === 0;
  return (
    <div className={styles.page}>
      <title>{`${WORDS.tabs.attackList} | ${PRODUCT_NAME}`}</title>
      <h1 className="visually-hidden">{WORDS.tabs.attackList}</h1>
      <SenderSelects {...senders} editorPath={templatePath} />
      <FilterPanel ref={filters} filter={list.filter} onChange={list.setFilter} />
      {runs.map((id) => (
        <RunProgress key={id} id={id} onFinished={finish}>
          <Link to={sendPath(id)}>{HISTORY_WORDS.sends.details}</Link>
        </RunProgress>
      ))}
      {ended === null ? null : (
        <p className={styles.ended}>
          <span>{HISTORY_WORDS.sends.ended}</span>
          <Link to={sendPath(ended)}>{HISTORY_WORDS.sends.result}</Link>
        </p>
      )}
      <strong ref={setMatchesPlace} className={styles.matches} />
      <MatchesPlace value={matchesPlace}>
        <Tabs
          value={list.tab}
          onChange={(tab) => list.setTab(tab as Tab)}
          keepMounted={false}
          classNames={{ root: styles.tabs, panel: styles.panel, tab: styles.tab }}
        >
          <Tabs.List aria-label={WORDS.tabs.label}>
            <Tabs.Tab value="prospects">{WORDS.tabs.prospects}</Tabs.Tab>
            <Tabs.Tab value="reservations">{WORDS.tabs.reservations}</Tabs.Tab>
            <Tabs.Tab value="attack-list">{WORDS.tabs.attackList}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="prospects">
            {group === undefined ? (
              <Nothing why={noGroup ? WORDS.prospects.noGroup : undefined} senders={senders} />
            ) : (
              <ProspectList
                query={{ ...listed, pagenate_count, pagenate_num }}
                status={list.status}
                sort={list.sort}
                onStatus={list.setStatus}
                onSort={list.setSort}
              />
            )}
          </Tabs.Panel>
          <Tabs.Panel value="reservations">
            {sender === undefined ? (
              <Nothing why={noSender ? WORDS.reservations.noSender : undefined} senders={senders} />
            ) : (
              <ReservationTab
                base={base}
                sender={sender}
                reservation={list.reservation}
                onReservation={list.setReservation}
                page={list.page}
                onPage={list.setPage}
                sort={list.sort}
                onSort={list.setSort}
                onChanged={reload}
              />
            )}
          </Tabs.Panel>
          <Tabs.Panel value="attack-list">
            {group === undefined ? (
              <Nothing why={noGroup ? WORDS.attackList.noGroup : undefined} senders={senders} />
            ) : (
              <AttackListPanel
                base={base}
                isFilterWaiting={typedFilter === 'waiting'}
                refusesFilter={refusesFilter}
                onOrder={openDialog}
                onCheck={openPreview}
              />
            )}
          </Tabs.Panel>
        </Tabs>
      </MatchesPlace>
      {checked === null ? null : <MailPreviewDialog order={checked} onClose={() => setChecked(null)} />}
      {order === null ? null : (
        <SendDialog order={order} onClose={() => setOrder(null)} onAccepted={addRunningSendLog} onReserved={reload} />
      )}
    </div>
  );
}

/** In place of a list that has no group or no template yet, or none at all: then what to do about it. */
function Nothing({ why, senders }: { readonly why: string | undefined; readonly senders: CurrentSender }) {
  const { retry, reload, groups } = senders;
  if (why === undefined) {
    return (
      <>
        <Matches total={undefined} failed={retry !== undefined} />
        {retry === undefined ? <Loading /> : <LoadFailed onRetry={retry} />}
      </>
    );
  }
  return (
    <div className={styles.nothing}>
      <p>
        <strong>{why}</strong>
        <br />
        {groups?.length === 0 ? WORDS.senders.noGroupHelp : WORDS.senders.noSenderHelp}
      </p>
      <Button onClick={reload}>{WORDS.actions.retry}</Button>
    </div>
  );
}
