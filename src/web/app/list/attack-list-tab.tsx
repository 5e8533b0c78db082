import { useQueryClient } from '@tanstack/react-query';
import { lazy, useEffect, useMemo } from 'react';
import type { ListedTarget } from '#contract/companies/attack-list.ts';
import { Button } from '#web/components/button.tsx';
import { Switch } from '#web/components/field/switch.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { readMember } from '#web/features/account/account-query.ts';
import { AttackListPanel } from '#web/features/attack-list/attack-list-panel.tsx';
import { useHasPrimary } from '#web/features/attack-list/attack-list-state.ts';
import type { CompanyParts } from '#web/features/attack-list/left-out/left-out-dialog.tsx';
import { useBadDomains } from '#web/features/domain-health/order/domain-mark.tsx';
import { useIsLegal } from '#web/features/legal-profile/legal-query.ts';
import { CompanyLink, type CompanyLinks } from '#web/features/prospects/company-name.tsx';
import { setSavedCondition } from '#web/features/prospects/filter/filter-state.ts';
import type { FilterCheck } from '#web/features/prospects/filter/use-filter-check.ts';
import { useSaveActiveProspect } from '#web/features/prospects/save-active-prospect.ts';
import type { ProspectQuery } from '#web/features/prospects/view-prospects.ts';
import { PROSPECT_MESSAGES } from '#web/features/prospects/words.ts';
import type { Orders } from '#web/features/runs/orders.tsx';
import type { SenderGroup } from '#web/features/senders/list-sender-groups.ts';
import { type CurrentSender, hasNoSender } from '#web/features/senders/use-current-sender.ts';
import { SENDER_MESSAGES } from '#web/features/senders/words.ts';
import { focusLabelled } from '#web/lib/form/focus-labelled.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { ListCure } from './list-cure.tsx';
import type { useListParams } from './use-list-queries.ts';

interface Props {
  readonly list: Pick<ReturnType<typeof useListParams>, 'setFilter'>;
  readonly senders: CurrentSender;
  readonly group: SenderGroup;
  readonly query: ProspectQuery;
  readonly filterCheck: FilterCheck;
  readonly orders: Orders;
  readonly links: CompanyLinks;
  /** Adds a company. */
  readonly onAdd: () => void;
}

/** Shows the attack list of the chosen group, with the parts that other features supply. */
export default function AttackListTab({ list, senders, group, query, filterCheck, orders, links, onAdd }: Props) {
  const { sender } = senders;
  const parts = useMemo(() => companyParts(links, group), [links, group]);
  const isBad = useBadDomains();
  useFreshPrimary();
  const none = hasNoSender(senders) || senders.isGone ? null : undefined;
  return (
    <AttackListPanel
      base={query}
      sender={
        sender === undefined
          ? none
          : { subject: sender.subject, name: sender.person_in_charge, isConfirmed: sender.is_confirmed === 1 }
      }
      isLegal={useIsLegal(group.id)}
      isBadDomain={isBad(sender?.email ?? '')}
      parts={parts}
      isFilterWaiting={filterCheck.isWaiting}
      blocksFilter={filterCheck.blockFaulty}
      onTemplate={() => focusLabelled(document, SENDER_MESSAGES.sender)}
      onOrder={orders.openDialog}
      taken={orders.taken}
      onCheck={orders.openPreview}
      cure={<ListCure onAdd={onAdd} />}
      onClear={() => {
        setSavedCondition(null);
        list.setFilter({});
      }}
    />
  );
}

/** Asks whether mails can go to persons by now: somebody may have added the first one since the log-in. */
function useFreshPrimary(): void {
  const client = useQueryClient();
  const hasPrimary = useHasPrimary();
  const hasMember = useSession(({ current_user }) => current_user?.member !== undefined);
  useEffect(() => {
    if (hasMember && !hasPrimary) readMember(client);
  }, [hasMember, hasPrimary, client]);
}

/** Loaded with its dialog, because it imports parts of other features. */
const LeftOutMend = lazy(() => loadPart(() => import('#web/features/attack-list/left-out/left-out-mends.tsx')));

/** Takes the button's place until it has loaded, so that the rows keep their height. */
const ROOM_OF_BUTTON = <Button variant="quiet" disabled aria-hidden />;

const companyParts = (links: CompanyLinks, group: SenderGroup): CompanyParts => ({
  renderName: ({ prospect_id: id, company_name }, onLeave) => (
    <CompanyLink
      id={id}
      links={onLeave === undefined ? links : leaving(links, onLeave)}
      title={company_name}
      {...(onLeave === undefined && { 'data-company': id })}
    >
      {company_name}
    </CompanyLink>
  ),
  renderMend: (reason, target, sendTo) =>
    reason === 'inactive' ? (
      <Activate target={target} groupId={group.id} />
    ) : (
      <PartBoundary waiting={ROOM_OF_BUTTON}>
        <LeftOutMend reason={reason} target={target} group={group} sendTo={sendTo} />
      </PartBoundary>
    ),
});

interface ActivateProps {
  readonly target: ListedTarget;
  readonly groupId: number;
}

/** Switches the company on; the row then leaves the list. */
function Activate({ target: { prospect_id: id, company_name }, groupId }: ActivateProps) {
  const { mutate, isPending, isSuccess } = useSaveActiveProspect({ id }, groupId);
  const isOn = isPending || isSuccess;
  if (!useMay('saveActiveProspect', { groupId })) return null;
  return (
    <Switch
      label={PROSPECT_MESSAGES.activeOf(company_name)}
      checked={isOn}
      busy={isOn}
      onChange={() => mutate({ active: 1 })}
    />
  );
}

/** Closes the dialog that holds the link before the company opens. */
const leaving = ({ pathOf, onOpen }: CompanyLinks, onLeave: () => void): CompanyLinks => ({
  pathOf,
  onOpen(id) {
    onLeave();
    onOpen(id);
  },
});
