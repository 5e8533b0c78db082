import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ACKNOWLEDGEMENTS } from '#domain/law/acknowledgement.ts';
import type { LegalFault } from '#domain/law/profile.ts';
import type { Check } from '#web/components/field/check-list.tsx';
import type { ApiFailure } from '#web/lib/api/call.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { holidays } from '#web/lib/data/holidays.ts';
import { sessionSlice } from '#web/lib/session/session-store.ts';
import { type Fault, faultChecks, legalChecks, orderChecks, type PlaceOf } from './order-checks.ts';
import type { SendOrder } from './use-send-order.ts';
import { SENDING_MESSAGES } from './words.ts';

const { checks: messages } = SENDING_MESSAGES;

/** The code that refuses a real run without what the law requires. */
const INCOMPLETE = 'legal_incomplete';

/** What the server finds in the mails of an order. */
interface Found {
  readonly checks: readonly Check[];
  /** Errors in what the law requires mails to show; null: unknown, and checked when they are sent. */
  readonly legalFaults: readonly LegalFault[] | null;
}

/** What the rules of the sender's group say about an order. */
export interface RulesFound {
  /** Whether the group has its own hours, which replace the usual office hours. */
  readonly hasOwnHours: boolean;
  readonly checks: readonly Check[];
  /** The number of mails by day, if they leave on several days or a later one; undefined: loading. */
  readonly days: readonly { readonly day: string; readonly mails: number }[] | null | undefined;
}

/** An order, and what is known of it. */
export interface CheckedOrder {
  readonly order: SendOrder;
  /** undefined: loading. */
  readonly found: Found | undefined;
  /** The state of the sender's domain. Nothing waits for it. */
  readonly domainChecks: readonly Check[];
  readonly rules: RulesFound;
  readonly placeOf: PlaceOf;
}

/** The keys of ticks that are valid for the whole session. */
const useWarned = sessionSlice<{ readonly warned_keys: readonly string[] }>(({ warned_keys = [] }) => ({
  warned_keys,
}));

/** Returns the results of an order's checks, and stores what the user has ticked. */
export function useOrderChecks({ order, found, domainChecks, rules, placeOf }: CheckedOrder) {
  const isTest = order.testTo !== null;
  const [now] = useState(serverNow);
  const { data: names } = useQuery({ ...holidays, enabled: !isTest });
  const warned = useWarned((state) => state.warned_keys);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [refusal, setRefusal] = useState<readonly Fault[]>([]);

  const faults = found?.legalFaults ?? [];
  const known = faults.filter(({ level }) => level === 'error');
  const errors = known.length > 0 ? known : refusal;
  const isLawful = found !== undefined && found.legalFaults !== null && errors.length === 0;
  const checks = [
    ...(isLawful && !isTest ? [{ kind: 'fine', text: messages.lawful } as const] : []),
    ...(found?.checks ?? [{ kind: 'waiting', text: messages.loading } as const]),
    ...(isTest
      ? []
      : [...orderChecks(order, { now, placeOf, hasOwnHours: rules.hasOwnHours }, names), ...rules.checks]),
    ...legalChecks(faults, order, { now, placeOf }),
    ...(isTest ? [] : domainChecks),
  ].flatMap((check) => withoutWarned(check, warned));
  const asked = checks.flatMap(({ ask }) => ask ?? []);

  return {
    checks,
    /** What prevents real mails. */
    errors: faultChecks(errors, placeOf),
    isTicked: (key: string) => ticked.has(key),
    tick(key: string, isTicked: boolean): void {
      const next = new Set(ticked);
      if (isTicked) next.add(key);
      else next.delete(key);
      setTicked(next);
    },
    /** Whether only ticks are missing. */
    isTickAwaited: known.length === 0 && asked.some(({ key }) => !ticked.has(key)),
    /** The ticked warnings, for the audit record. */
    acknowledged: ACKNOWLEDGEMENTS.filter((name) => asked.some(({ rule, key }) => rule === name && ticked.has(key))),
    /** Whether the order may be sent, according to the checks here. */
    isPassed: (isTest || known.length === 0) && asked.every(({ key }) => ticked.has(key)),
    /** Called when the order was accepted. */
    accept(): void {
      const once = asked.flatMap(({ key, isOnce }) => (isOnce === true ? key : []));
      useWarned.setState({ warned_keys: [...warned, ...once] });
    },
    /** Shows a refusal as failed checks. @returns whether it was such a refusal */
    refuse({ code, details = [] }: Pick<ApiFailure, 'code' | 'details'>): boolean {
      if (code !== INCOMPLETE || details.length === 0) return false;
      setRefusal(details);
      return true;
    },
  };
}

/** Removes a tick that was set today, and the check if nothing else is left of it. */
function withoutWarned(check: Check, warned: readonly string[]): readonly Check[] {
  if (check.ask === undefined || !warned.includes(check.ask.key)) return [check];
  return check.ask.isStatement === true ? [] : [{ ...check, ask: undefined }];
}

export type OrderChecks = ReturnType<typeof useOrderChecks>;
