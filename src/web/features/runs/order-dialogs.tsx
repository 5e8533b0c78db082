import { useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import type { AttackListItem } from '#contract/companies/attack-list.ts';
import { bringAllBack } from '#web/features/attack-list/attack-list-state.ts';
import { useOrderDomain } from '#web/features/domain-health/use-order-domain.ts';
import { MailPreviewDialog } from '#web/features/mail-preview/mail-preview-dialog.tsx';
import { useMailChecks } from '#web/features/mail-preview/use-mail-checks.ts';
import { SendDialog } from '#web/features/runs/send-dialog.tsx';
import type { OrderOrigin } from '#web/features/runs/send-mail.ts';
import { useUndoSeconds } from '#web/features/sending-rules/account-rule-query.ts';
import { useOrderRules } from '#web/features/sending-rules/order/use-order-rules.ts';
import { legalPath } from '#web/lib/address/params.ts';
import { PATHS, reservationPath, templatePath } from '#web/lib/address/paths.ts';
import { reloadLists } from '#web/lib/api/reload-lists.ts';
import { followAccepted } from '../send-logs/followed/follow-accepted.ts';
import type { Orders } from './use-orders.ts';

/** The dialogs of an order: the preview of its mails, and the question before it is sent or reserved. */
export function OrderDialogs({ orders }: { readonly orders: Orders }) {
  const { order, isConfirmed, previewed, close } = orders;
  const client = useQueryClient();
  const isReal = order?.testTo === null;
  const found = useMailChecks(order);
  return (
    <>
      {previewed === null ? null : <MailPreviewDialog order={previewed} onClose={close} />}
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
            if (isTaken) bringAllBack();
            reloadLists(client, { isTaken });
          }}
          onAccepted={(id, startsAt) => void followAccepted(id, startsAt)}
        />
      )}
    </>
  );
}

/** The question before an order, with what is known of the domain that it leaves from. Above it, its mails. */
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
      {shown === null ? null : (
        <MailPreviewDialog order={{ ...order, targets: shown }} onClose={() => setShown(null)} />
      )}
    </>
  );
}

/** Returns where a fault of an order is mended: in the group's legal profile, its template or its sender. */
function placeOf(field: string, { groupId, templateId }: OrderOrigin): string | null {
  if (field.startsWith('legal_profile.')) return legalPath(groupId);
  if (field.startsWith('mail_template.')) return templatePath(templateId);
  return field.startsWith('sender.') ? PATHS.settingsGroups : null;
}
