import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { PATHS, reservationPath } from '#web/lib/address/paths.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { chooseSendTo } from './attack-list-state.ts';
import { leftOutGroups } from './left-out/left-out-groups.ts';
import { onlyLeftOut } from './left-out/only-left-out.ts';
import { nothingText } from './order/nothing-text.ts';
import { type Leads, Parts } from './order/parts.tsx';
import { NOTHING_MESSAGES } from './order/words.ts';
import type { Order } from './use-order.ts';
import { ATTACK_LIST_MESSAGES } from './words.ts';

interface Props {
  readonly order: Order;
  readonly leads: Leads;
  readonly isFiltered: boolean;
  /** The buttons that fill an empty list of companies. */
  readonly cure: ReactNode;
  /** Removes all filters. */
  readonly onClear: (() => void) | undefined;
}

/** Says in place of an empty list why nobody can be mailed, and offers what helps. */
export function NothingToSend({ cure, ...props }: Props) {
  const { targets, followed } = props.order;
  const isWhole = !props.isFiltered && targets.source === null && followed === undefined;
  if (targets.preview?.matched !== 0 || !isWhole) return <LeftOut {...props} />;
  return (
    <EmptyState kind="sends" title={ATTACK_LIST_MESSAGES.empty} help={DATA_MESSAGES.prospects.noneHelp}>
      {cure}
    </EmptyState>
  );
}

function LeftOut({ order, leads, isFiltered, onClear }: Omit<Props, 'cure'>) {
  const { text, isLoading, isReserved, reservationId, canMailPersons } = useNothing(order, isFiltered);
  const isOfFilters = isFiltered && order.targets.source?.companies === undefined;
  const clear =
    isOfFilters && onClear !== undefined ? <Button onClick={onClear}>{ATTACK_LIST_MESSAGES.clear}</Button> : null;
  return (
    <EmptyState
      kind="no-match"
      title={ATTACK_LIST_MESSAGES.empty}
      help={
        isLoading ? undefined : (
          <Parts of={canMailPersons ? [ATTACK_LIST_MESSAGES.noCompanyAddress] : text} {...leads} />
        )
      }
    >
      {clear === null && !isReserved && !canMailPersons ? null : (
        <>
          {clear}
          {isReserved ? <Reserved id={reservationId} /> : null}
          {canMailPersons ? (
            <Button variant="primary" onClick={() => chooseSendTo('primary_or_company')}>
              {ATTACK_LIST_MESSAGES.toPrimary}
            </Button>
          ) : null}
        </>
      )}
    </EmptyState>
  );
}

/** Returns the sentence, and the reservation that explains it. */
function useNothing({ targets, settings, now, followed }: Order, isFiltered: boolean) {
  const { preview, source, leftOutSettings } = targets;
  const groups = leftOutGroups(targets);
  const [first, second] = groups;
  const reason = second === undefined && first?.group !== 'missing' ? first?.group : undefined;
  const isOne = first?.count === 1;
  const { data: only = null, isLoading } = useQuery(onlyLeftOut(leftOutSettings, isOne ? reason : undefined));
  const text = nothingText({
    groups,
    matched: preview?.matched ?? 0,
    only,
    days: settings.days_from_lastday,
    nextAt: preview?.next_at,
    now,
    isChosen: source?.companies !== undefined,
    isFollowUp: followed !== undefined,
    isFiltered,
  });
  // The choice is offered only where a main contact person has an address.
  const canMailPersons = reason === 'no_email' && leftOutSettings.send_to === 'company';
  return {
    text,
    isLoading,
    isReserved: reason === 'reserved',
    reservationId: only?.reservationId ?? null,
    canMailPersons,
  };
}

/** Leads to a reservation, or to all. */
const Reserved = ({ id }: { readonly id: number | null }) => (
  <ButtonLink variant="primary" to={id === null ? PATHS.reservations : reservationPath(id)}>
    {NOTHING_MESSAGES.showReservation}
  </ButtonLink>
);
