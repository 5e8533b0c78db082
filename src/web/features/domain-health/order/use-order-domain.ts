import { useQuery } from '@tanstack/react-query';
import { domainOf } from '#domain/mail/address-key.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import type { Check } from '#web/components/field/check-list.tsx';
import { usesMailCatcher } from '#web/lib/screen/page-settings.ts';
import { type DomainRow, domainList } from '../domain-query.ts';
import { useDueCheck } from '../use-due-check.ts';
import { ORDER_DOMAIN_MESSAGES } from './words.ts';

const { order: messages } = ORDER_DOMAIN_MESSAGES;

/**
 * Returns a dialog's notes about the domain that a real order is sent from, and checks the domain. The order never
 * waits for the DNS.
 *
 * @param address of the sender; null: a test, or no order
 * @param place where the state of the domains is shown
 * @param now epoch milliseconds at which the dialog opened
 */
export function useOrderDomain(address: string | null, place: string, now: number): readonly Check[] {
  const isAsked = address !== null && !usesMailCatcher();
  const { data } = useQuery({ ...domainList, enabled: isAsked, staleTime: 0, meta: { quiet: true } });
  const domain = domainOf(address ?? '');
  const row = isAsked ? data?.find((own) => own.domain === domain) : undefined;
  const { isPending } = useDueCheck(row, true);
  return row === undefined ? [] : shownOf(row, isPending, place, now);
}

/** Returns the check to show. Its tick counts for one domain, set of faults and day. */
function shownOf(row: DomainRow, isChecking: boolean, place: string, now: number): readonly Check[] {
  const { domain, state, checks, needs_acknowledgement } = row;
  if (state === 'unchecked') return isChecking ? [{ kind: 'waiting', text: messages.checking }] : [];
  if (state === 'good') return [{ kind: 'fine', text: messages.good }];
  if (state === 'unknown') {
    return [{ kind: 'warning', text: messages.unknown(domain), link: { to: place, text: messages.open } }];
  }
  const bad = checks.filter(({ level }) => level === 'bad').map(({ check }) => check);
  const ask = { rule: 'domain_health', key: [domain, dayOf(now), ...bad].join(' '), isOnce: true } as const;
  return [
    {
      kind: 'bad',
      text: messages.bad(domain, bad),
      link: { to: place, text: messages.mend },
      ask: needs_acknowledgement === 1 ? ask : undefined,
    },
  ];
}
