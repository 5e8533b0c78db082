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

/** The refusal of a real run that lacks what the law asks. */
const INCOMPLETE = 'legal_incomplete';

/** What the server has found in the mails of an order. */
interface Found {
  readonly checks: readonly Check[];
  /** Of what the law asks the mails to show; null: unknown, and judged when they are sent. */
  readonly legalFaults: readonly LegalFault[] | null;
}

/** What the rules of its group say of an order. */
export interface RulesFound {
  /** They judge its time, in place of the usual hours of offices. */
  readonly hasOwnHours: boolean;
  readonly checks: readonly Check[];
  /** How many mails leave on which days, where they leave on several or on a later one; undefined: loading. */
  readonly days: readonly { readonly day: string; readonly mails: number }[] | null | undefined;
}

/** An order, and what is known of it. */
export interface CheckedOrder {
  readonly order: SendOrder;
  /** undefined: loading. */
  readonly found: Found | undefined;
  /** Of the sender's domain. Nothing waits for it. */
  readonly domainChecks: readonly Check[];
  readonly rules: RulesFound;
  readonly placeOf: PlaceOf;
}

/** The keys of what was ticked and needs no other tick in this session. */
const useWarned = sessionSlice<{ readonly warned_keys: readonly string[] }>(({ warned_keys = [] }) => ({
  warned_keys,
}));

/** Returns what is right, doubtful and wrong with an order, and holds what of it a person has ticked. */
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
    /** What keeps real mails from leaving. */
    errors: faultChecks(errors, placeOf),
    isTicked: (key: string) => ticked.has(key),
    tick(key: string, isTicked: boolean): void {
      const next = new Set(ticked);
      if (isTicked) next.add(key);
      else next.delete(key);
      setTicked(next);
    },
    /** Whether nothing but a tick is missing. */
    isTickAwaited: known.length === 0 && asked.some(({ key }) => !ticked.has(key)),
    /** What the ticks are about, for the record. */
    acknowledged: ACKNOWLEDGEMENTS.filter((name) => asked.some(({ rule, key }) => rule === name && ticked.has(key))),
    /** Whether the order may be sent as far as is known here. */
    isPassed: (isTest || known.length === 0) && asked.every(({ key }) => ticked.has(key)),
    /** The order has left. */
    accept(): void {
      const once = asked.flatMap(({ key, isOnce }) => (isOnce === true ? key : []));
      useWarned.setState({ warned_keys: [...warned, ...once] });
    },
    /** Shows a refusal by its rules. @returns whether it was one */
    refuse({ code, details = [] }: Pick<ApiFailure, 'code' | 'details'>): boolean {
      if (code !== INCOMPLETE || details.length === 0) return false;
      setRefusal(details);
      return true;
    },
  };
}

/** Leaves out the question that was answered today, and the line where it is nothing else. */
function withoutWarned(check: Check, warned: readonly string[]): readonly Check[] {
  if (check.ask === undefined || !warned.includes(check.ask.key)) return [check];
  return check.ask.isStatement === true ? [] : [{ ...check, ask: undefined }];
}

export type OrderChecks = ReturnType<typeof useOrderChecks>;
