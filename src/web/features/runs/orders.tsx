import { useQueryClient } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import type { AttackOrder } from '#web/features/attack-list/attack-list-panel.tsx';
import { bringAllBack } from '#web/features/attack-list/attack-list-state.ts';
import type { Sender } from '#web/features/senders/list-senders.ts';
import { type CurrentSender, hasNoSender } from '#web/features/senders/use-current-sender.ts';
import { SENDER_MESSAGES } from '#web/features/senders/words.ts';
import type { ListParams } from '#web/lib/address/params.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';
import type { MailOrder } from '#web/lib/data/mail-order.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { followAccepted } from '../send-logs/followed/follow-accepted.ts';
import type { Listed } from './order-dialog.tsx';
import type { SendOrder } from './use-send-order.ts';

const OrderDialog = lazy(() => loadPart(() => import('./order-dialog.tsx')));

const MailPreviewDialog = lazy(() => loadPart(() => import('#web/features/mail-preview/mail-preview-dialog.tsx')));

export interface Orders {
  /** The order that the send dialog asks about. */
  readonly order: SendOrder | null;
  /** What made its list. */
  readonly listed: Listed | null;
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
  const [listed, setListed] = useState<Listed | null>(null);
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
    listConditions: source?.companies === undefined ? { ...source, ...filter, ...sort } : null,
    origin: {
      from: { name: chosen.person_in_charge, address: chosen.email },
      bcc: chosen.bcc,
      groupId: group?.id,
      groupName: group?.group_name ?? '',
      profileId: chosen.profile_id,
      templateId: chosen.template_id,
      // The dialog names them.
      conditions: [],
    },
  });

  return {
    order,
    listed,
    isConfirmed: senders?.find(({ id }) => id === order?.senderId)?.is_confirmed !== 0,
    previewed,
    openDialog: (attack) =>
      withSender((chosen) => {
        setListed({ source: attack.source, filter });
        setOrder(sendOrder(attack, chosen));
      }),
    openPreview: (attack) => withSender((chosen) => setPreviewed({ ...attack, senderId: chosen.id })),
    close: () => {
      setOrder(null);
      setPreviewed(null);
    },
    taken,
    countTaken: () => setTaken((before) => before + 1),
  };
}

/** Shows the dialogs of an order: the preview of its mails, and the confirmation before it is sent or reserved. */
export function OrderDialogs({ orders }: { readonly orders: Orders }) {
  const { order, listed, isConfirmed, previewed, close, countTaken } = orders;
  const client = useQueryClient();
  const isReal = order?.testTo === null;
  return (
    <>
      <PartBoundary>{previewed === null ? null : <MailPreviewDialog order={previewed} onClose={close} />}</PartBoundary>
      <PartBoundary>
        {order === null || listed === null ? null : (
          <OrderDialog
            key={order.idempotencyKey}
            order={order}
            isConfirmed={isConfirmed}
            listed={listed}
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
      </PartBoundary>
    </>
  );
}
