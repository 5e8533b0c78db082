import { useState } from 'react';
import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';
import type { AttackOrder } from '#web/features/attack-list/attack-list-panel.tsx';
import { ATTACK_LIST_MESSAGES } from '#web/features/attack-list/words.ts';
import { conditionsOf } from '#web/features/prospects/filter/conditions.ts';
import { FILTER_MESSAGES } from '#web/features/prospects/filter/words.ts';
import type { SendOrder } from '#web/features/runs/send-mail.ts';
import type { Sender } from '#web/features/senders/list-senders.ts';
import type { CurrentSender } from '#web/features/senders/use-current-sender.ts';
import { SENDER_MESSAGES } from '#web/features/senders/words.ts';
import type { ListParams } from '#web/lib/address/params.ts';
import type { MailOrder } from '#web/lib/data/mail-order.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { toast } from '#web/lib/screen/toast.ts';

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
}

/** Turns what the attack list offers into orders of the chosen sender. */
export function useOrders(
  { groups, group, senders, sender, isGone }: CurrentSender,
  { filter, sort }: Pick<ListParams, 'filter' | 'sort'>,
): Orders {
  const [order, setOrder] = useState<SendOrder | null>(null);
  const [previewed, setPreviewed] = useState<MailOrder | null>(null);

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

/** Whether the account has no sender group, or the chosen group has no sender. */
export const hasNoSender = ({ groups, senders }: Pick<CurrentSender, 'groups' | 'senders'>): boolean =>
  groups?.length === 0 || senders?.length === 0;
