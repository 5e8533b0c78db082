import { type ComponentProps, lazy, useState } from 'react';
import type { AttackListItem } from '#contract/companies/attack-list.ts';
import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import type { AttackOrder } from '#web/features/attack-list/attack-list-panel.tsx';
import { ATTACK_LIST_MESSAGES } from '#web/features/attack-list/words.ts';
import { useOrderDomain } from '#web/features/domain-health/order/use-order-domain.ts';
import { useNeedsSource } from '#web/features/legal-profile/legal-query.ts';
import { useMailChecks } from '#web/features/mail-preview/use-mail-checks.ts';
import { conditionsOf } from '#web/features/prospects/filter/conditions.ts';
import { FILTER_MESSAGES } from '#web/features/prospects/filter/words.ts';
import { useOrderRules } from '#web/features/sending-rules/order/use-order-rules.ts';
import { legalPath } from '#web/lib/address/params.ts';
import { PATHS, reservationPath, templatePath } from '#web/lib/address/paths.ts';
import { useUndoSeconds } from '#web/lib/data/account-rule.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { SendDialog } from './send-dialog.tsx';
import type { OrderOrigin } from './use-send-order.ts';

const MailPreviewDialog = lazy(() => loadPart(() => import('#web/features/mail-preview/mail-preview-dialog.tsx')));

/** What made the list of an order. */
export interface Listed {
  readonly source: AttackOrder['source'];
  readonly filter: ProspectFilter;
}

interface Props extends Pick<ComponentProps<typeof SendDialog>, 'order' | 'onClose' | 'onTaken' | 'onAccepted'> {
  readonly listed: Listed;
  /** Whether the address of its sender is confirmed by now. */
  readonly isConfirmed: boolean;
}

/** Shows the confirmation of an order with the state of its sender's domain. The preview opens above it. */
export default function OrderDialog({ order, listed, isConfirmed, ...props }: Props) {
  const { testTo, origin, targets } = order;
  const [openedAt] = useState(Date.now);
  const [shown, setShown] = useState<readonly AttackListItem[] | null>(null);
  const found = useMailChecks(order, useNeedsSource(origin.groupId));
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
        order={{ ...order, origin: { ...origin, isConfirmed, conditions: conditionsOfList(listed) } }}
        found={found}
        placeOf={(field) => placeOf(field, origin)}
        reservationPath={reservationPath}
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

/** What made the list, as texts. */
function conditionsOfList({ source, filter }: Listed): readonly string[] {
  if (source?.companies !== undefined) return [ATTACK_LIST_MESSAGES.chosen(source.companies.length)];
  const filters = conditionsOf(filter).map(({ label, value }) => FILTER_MESSAGES.chip(label, value));
  return source === null
    ? filters
    : [ATTACK_LIST_MESSAGES.status(DATA_MESSAGES.prospects.statuses[source.status]), ...filters];
}

/** Returns where an error of an order is fixed: the group's legal profile, the template or the sender. */
function placeOf(field: string, { groupId, templateId }: OrderOrigin): string | null {
  if (field.startsWith('legal_profile.')) return legalPath(groupId);
  if (field.startsWith('mail_template.')) return templatePath(templateId);
  return field.startsWith('sender.') ? PATHS.settingsGroups : null;
}
