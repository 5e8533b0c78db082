import '@mantine/core/styles/Tabs.css';
import { Tabs } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '#web/components/button.tsx';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { Loading } from '#web/components/loading.tsx';
import { Matches, MatchesPlace } from '#web/components/matches.tsx';
import { AttackListPanel, type AttackOrder } from '#web/features/attack-list/attack-list-panel.tsx';
import { MailPreviewDialog } from '#web/features/mail-preview/mail-preview-dialog.tsx';
import type { MailPreviewOrder } from '#web/features/mail-preview/preview-mail.ts';
import { useMailChecks } from '#web/features/mail-preview/use-mail-checks.ts';
import { conditionsOf } from '#web/features/prospect-filter/conditions.ts';
import { typedState } from '#web/features/prospect-filter/filter-draft.ts';
import { FilterPanel } from '#web/features/prospect-filter/filter-panel.tsx';
import { ProspectList } from '#web/features/prospects/prospect-list.tsx';
import { SenderSelects } from '#web/features/senders/sender-selects.tsx';
import { type CurrentSender, useCurrentSender } from '#web/features/senders/use-current-sender.ts';
import { SendDialog } from '#web/features/sending/send-dialog.tsx';
import type { SendOrder } from '#web/features/sending/send-mail.ts';
import { FILTER_WORDS } from '#web/lib/filter-words.ts';
import { leadToFault } from '#web/lib/lead-to-fault.ts';
import type { Tab } from '#web/lib/list-params.ts';
import { reloadLists } from '#web/lib/reload-lists.ts';
import { followOwnRun, goToPage, useSession } from '#web/lib/session-store.ts';
import { toast } from '#web/lib/toast.ts';
import { useListParams } from '#web/lib/use-list-params.ts';
import { usePageOf } from '#web/lib/use-page-of.ts';
import { PRODUCT_NAME, WORDS } from '#web/lib/words.ts';
import { templatePath } from '../paths.ts';
import styles from './attack-list.module.css';
import { ReservationTab } from './reservation-tab.tsx';

export function Component() {
  const senders = useCurrentSender();
  const list = useListParams();
  const pagenate_count = useSession((state) => state.pagenate_count);
  const [order, setOrder] = useState<SendOrder | null>(null);
  const [checked, setChecked] = useState<MailPreviewOrder | null>(null);
  const [matchesPlace, setMatchesPlace] = useState<HTMLElement | null>(null);
  const typed = useSession((state) => state.typed_filter);
  const typedFilter = typedState(typed?.fields, list.filter);
  const filters = useRef<HTMLElement>(null);
  const client = useQueryClient();
  const { group, sender } = senders;

  const mailChecks = useMailChecks(order !== null && order.testTo === null ? order : null);

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
    else {
      const origin = {
        from: { name: sender.person_in_charge, address: sender.email },
        bcc: sender.bcc,
        groupName: group?.group_name ?? '',
        conditions: conditionsOf(list.filter).map(({ label, value }) => FILTER_WORDS.chip(label, value)),
      };
      const idempotencyKey = crypto.randomUUID();
      setOrder({ ...attack, idempotencyKey, senderId: sender.id, subject: sender.subject, origin });
    }
  }

  function openPreview(attack: AttackOrder): void {
    if (sender === undefined) tellSenderMissing();
    else setChecked({ ...attack, senderId: sender.id });
  }

  const base = { sender_group_id: group?.id ?? 0, ...list.filter, ...list.sort };
  const listed = { ...base, status: list.status };
  const listKey = group && JSON.stringify({ ...listed, pagenate_count });
  const isProspects = list.tab === 'prospects';
  const pagenate_num = usePageOf(isProspects ? listKey : undefined, list.page, list.setPage);
  // Where the tab leads back to.
  useEffect(() => {
    if (isProspects) goToPage(pagenate_num);
  }, [isProspects, pagenate_num]);
  const noGroup = senders.groups?.length === 0;
  const noSender = noGroup || senders.senders?.length === 0;
  return (
    <div className={styles.page}>
      <title>{`${WORDS.tabs.attackList} | ${PRODUCT_NAME}`}</title>
      <h1 className="visually-hidden">{WORDS.tabs.attackList}</h1>
      <SenderSelects {...senders} editorPath={templatePath} />
      <FilterPanel ref={filters} filter={list.filter} onChange={list.setFilter} />
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
                onPage={list.setPage}
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
                onChanged={() => reloadLists(client)}
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
        <SendDialog
          order={order}
          mailChecks={mailChecks}
          onClose={() => setOrder(null)}
          onTaken={() => reloadLists(client, { isTaken: order.testTo === null })}
          onAccepted={followOwnRun}
        />
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
