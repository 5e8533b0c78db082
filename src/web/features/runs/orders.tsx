import { useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, lazy, useState } from 'react';
import type { AttackListItem } from '#contract/companies/attack-list.ts';
import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import type { AttackOrder } from '#web/features/attack-list/attack-list-panel.tsx';
import { bringAllBack } from '#web/features/attack-list/attack-list-state.ts';
import { ATTACK_LIST_MESSAGES } from '#web/features/attack-list/words.ts';
import { useOrderDomain } from '#web/features/domain-health/order/use-order-domain.ts';
import { useNeedsSource } from '#web/features/legal-profile/legal-query.ts';
import { useMailChecks } from '#web/features/mail-preview/use-mail-checks.ts';
import { conditionsOf } from '#web/features/prospects/filter/conditions.ts';
import { FILTER_MESSAGES } from '#web/features/prospects/filter/words.ts';
import type { Sender } from '#web/features/senders/list-senders.ts';
import { type CurrentSender, hasNoSender } from '#web/features/senders/use-current-sender.ts';
import { SENDER_MESSAGES } from '#web/features/senders/words.ts';
import { useOrderRules } from '#web/features/sending-rules/order/use-order-rules.ts';
import { type ListParams, legalPath } from '#web/lib/address/params.ts';
import { PATHS, reservationPath, templatePath } from '#web/lib/address/paths.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';
import { useUndoSeconds } from '#web/lib/data/account-rule.ts';
import type { MailOrder } from '#web/lib/data/mail-order.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { followAccepted } from '../send-logs/followed/follow-accepted.ts';
import { SendDialog } from './send-dialog.tsx';
import type { OrderOrigin, SendOrder } from './use-send-order.ts';

const MailPreviewDialog = lazy(() => loadPart(() => import('#web/features/mail-preview/mail-preview-dialog.tsx')));

export interface Orders {
  /** The order that the send dialog asks about. */
  readonly order: SendOrder | null;
  /** Whether the address of its sender is confirmed by now: its owner may do so while the dialog is open. */
  readonly isConfirmed: boolean;
  /** The order whose mails the preview shows. */
  readonly previewed: MailOrder | null;
  readonly openDialog: (attack: AttackOrder) => void;
  readonly openPreview: (attack: AttackOrder) => void;
  readonly close: () => void;
  /** The number of real orders that were accepted on this screen. */
  readonly taken: number;
  readonly countTaken: () => void;
}

/** Turns what the attack list offers into orders of the chosen sender. */
export function useOrders(
  { groups, group, senders, sender, isGone }: CurrentSender,
  { filter, sort }: Pick<ListParams, 'filter' | 'sort'>,
): Orders {
  const [order, setOrder] = useState<SendOrder | null>(null);
  const [previewed, setPreviewed] = useState<MailOrder | null>(null);
  const [taken, setTaken] = useState(0);

  function withSender(open: (chosen: Sender) => void): void {
    const { noSender, noSenderNote, senderMissing, gone, goneHelp } = SENDER_MESSAGES;
    if (sender !== undefined) open(sender);
    else if (hasNoSender({ groups, senders })) toast('warning', `${noSender}\n${noSenderNote}`);
    else toast('warning', isGone ? `${gone}\n${goneHelp}` : senderMissing);
  }

  const sendOrder = ({ source, ...attack }: AttackOrder, chosen: Sender): SendOrder => ({
    ...attack,
    idempotencyKey: crypto.randomUUID(),
    senderId: chosen.id,
    subject: chosen.subject,
    listConditions: source?.companies === undefined ? { ...source, ...filter, ...sort } : null,
    origin: {
      from: { name: chosen.person_in_charge, address: chosen.email },
      bcc: chosen.bcc,
      groupId: group?.id,
      groupName: group?.group_name ?? '',
      profileId: chosen.profile_id,
      templateId: chosen.template_id,
      conditions: conditionsOfList(source, filter),
    },
  });

  return {
    order,
    isConfirmed: senders?.find(({ id }) => id === order?.senderId)?.is_confirmed !== 0,
    previewed,
    openDialog: (attack) => withSender((chosen) => setOrder(sendOrder(attack, chosen))),
    openPreview: (attack) => withSender((chosen) => setPreviewed({ ...attack, senderId: chosen.id })),
    close: () => {
      setOrder(null);
      setPreviewed(null);
    },
    taken,
    countTaken: () => setTaken((before) => before + 1),
  };
}

/** What made the list, as texts. */
function conditionsOfList(source: AttackOrder['source'], filter: ProspectFilter): readonly string[] {
  if (source?.companies !== undefined) return [ATTACK_LIST_MESSAGES.chosen(source.companies.length)];
  const filters = conditionsOf(filter).map(({ label, value }) => FILTER_MESSAGES.chip(label, value));
  return source === null
    ? filters
    : [ATTACK_LIST_MESSAGES.status(DATA_MESSAGES.prospects.statuses[source.status]), ...filters];
}

/** Shows the dialogs of an order: the preview of its mails, and the confirmation before it is sent or reserved. */
export function OrderDialogs({ orders }: { readonly orders: Orders }) {
  const { order, isConfirmed, previewed, close, countTaken } = orders;
  const client = useQueryClient();
  const isReal = order?.testTo === null;
  const found = useMailChecks(order, useNeedsSource(order?.origin.groupId));
  return (
    <>
      <PartBoundary>{previewed === null ? null : <MailPreviewDialog order={previewed} onClose={close} />}</PartBoundary>
      {order === null ? null : (
        <OrderDialog
          key={order.idempotencyKey}
          order={{ ...order, origin: { ...order.origin, isConfirmed } }}
          found={found}
          placeOf={(field) => placeOf(field, order.origin)}
          reservationPath={reservationPath}
          onClose={close}
          onTaken={(isAccepted) => {
            const isTaken = isReal && isAccepted;
            if (isTaken) {
              bringAllBack();
              countTaken();
            }
            reloadLists(client, { isTaken });
          }}
          onAccepted={(id, startsAt) => void followAccepted(id, startsAt)}
        />
      )}
    </>
  );
}

/** Shows the confirmation of an order with the state of its sender's domain. The preview opens above it. */
function OrderDialog(
  props: Omit<ComponentProps<typeof SendDialog>, 'domainChecks' | 'rules' | 'undoSeconds' | 'onShowMails'>,
) {
  const { order } = props;
  const { testTo, origin, targets } = order;
  const [openedAt] = useState(Date.now);
  const [shown, setShown] = useState<readonly AttackListItem[] | null>(null);
  const address = testTo === null ? origin.from.address : null;
  const domainChecks = useOrderDomain(address, PATHS.settingsDomains, openedAt);
  const rules = useOrderRules({
    groupId: testTo === null ? origin.groupId : undefined,
    profileId: origin.profileId,
    mails: targets.length,
    sendAt: order.sendAt,
    listQuery: order.listQuery && { ...order.listQuery, sender_id: order.senderId },
  });
  const canBeTakenBack = testTo === null && order.sendAt === null;
  const undoSeconds = useUndoSeconds(canBeTakenBack);
  const showMails = (ids?: readonly number[]) =>
    setShown(ids === undefined ? targets : targets.filter(({ prospect_id }) => ids.includes(prospect_id)));
  return (
    <>
      <SendDialog
        {...props}
        domainChecks={domainChecks}
        rules={rules}
        undoSeconds={undoSeconds}
        onShowMails={showMails}
      />
      <PartBoundary>
        {shown === null ? null : (
          <MailPreviewDialog order={{ ...order, targets: shown }} onClose={() => setShown(null)} />
        )}
      </PartBoundary>
    </>
  );
}

/** Returns where an error of an order is fixed: the group's legal profile, the template or the sender. */
function placeOf(field: string, { groupId, templateId }: OrderOrigin): string | null {
  if (field.startsWith('legal_profile.')) return legalPath(groupId);
  if (field.startsWith('mail_template.')) return templatePath(templateId);
  return field.startsWith('sender.') ? PATHS.settingsGroups : null;
}
