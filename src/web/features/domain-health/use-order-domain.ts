import { useQuery } from '@tanstack/react-query';
import { domainOf } from '#domain/mail/address-key.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import type { Check } from '#web/components/check-list.tsx';
import { usesMailCatcher } from '#web/lib/page-settings.ts';
import { type DomainRow, domainList } from './domain-query.ts';
import { useDueCheck } from './use-due-check.ts';
import { DOMAIN_MESSAGES } from './words.ts';

const { order: messages } = DOMAIN_MESSAGES;

/** What a dialog shows of the domain that an order leaves from. */
interface OrderDomain {
  readonly checks: readonly Check[];
  /** What the user ticks; null: nothing. `once` names the day and the faults: the same are not asked for again. */
  readonly warning: { readonly message: string; readonly once: string } | null;
}

const NOTHING: OrderDomain = { checks: [], warning: null };

/**
 * Returns what is to be said of the domain of a real order. The order never waits for the DNS.
 *
 * @param address of the sender; null: a test, or no order
 * @param place where the state of the domains is shown
 * @param now epoch milliseconds, as the dialog opened
 */
export function useOrderDomain(address: string | null, place: string, now: number): OrderDomain {
  const isAsked = address !== null && !usesMailCatcher();
  const { data } = useQuery({ ...domainList, enabled: isAsked, staleTime: 0, meta: { quiet: true } });
  const domain = domainOf(address ?? '');
  const row = isAsked ? data?.find((own) => own.domain === domain) : undefined;
  const { isPending } = useDueCheck(row, true);
  return row === undefined ? NOTHING : shownOf(row, isPending, place, now);
}

function shownOf(row: DomainRow, isChecking: boolean, place: string, now: number): OrderDomain {
  const { domain, state, checks, needs_acknowledgement } = row;
  const link = { to: place, text: messages.open };
  if (state === 'unchecked') {
    return { checks: isChecking ? [{ kind: 'fine', text: messages.checking }] : [], warning: null };
  }
  if (state === 'good') return { checks: [{ kind: 'fine', text: messages.good }], warning: null };
  if (state === 'unknown')
    return { checks: [{ kind: 'warning', text: messages.unknown(domain), link }], warning: null };
  const bad = checks.filter(({ level }) => level === 'bad').map(({ check }) => check);
  const once = [domain, dayOf(now), ...bad].join(' ');
  return {
    checks: [{ kind: 'warning', text: messages.bad(domain, bad), link }],
    warning: needs_acknowledgement === 1 ? { message: messages.tick, once } : null,
  };
}
