import { useState } from 'react';
import { ACKNOWLEDGEMENTS } from '#domain/law/acknowledgement.ts';
import type { LegalFault } from '#domain/law/profile.ts';
import type { ApiFailure } from '#web/lib/call.ts';
import { sessionSlice } from '#web/lib/session-store.ts';
import { SENDING_MESSAGES } from './words.ts';

type LegalError = Pick<LegalFault, 'path' | 'message'>;

/** The refusal of a real run that lacks what the law asks. */
const INCOMPLETE = 'legal_incomplete';

/** The server's missing address concerns whoever runs it: a user is told once a session. */
const WARN_ONCE: LegalFault['code'] = 'L8';

/** A warning of the sender's domain. */
export interface DomainWarning {
  readonly message: string;
  /** Once ticked, the same is not asked for again in this session. */
  readonly once: string;
}

/** One warning that a person ticks. */
interface Asked {
  readonly code: LegalFault['code'] | 'domain_health';
  readonly message: string;
  /** As in DomainWarning; null: it is asked for before each order. */
  readonly once: string | null;
}

/** Warnings that were ticked and need no other tick in this session. */
const useTold = sessionSlice<{ readonly legal_warnings_told: readonly string[] }>(({ legal_warnings_told = [] }) => ({
  legal_warnings_told,
}));

/** Returns the warnings of an order. A test shows what concerns its own address, the others come before real mails. */
function warningsOf(faults: readonly LegalFault[], isTest: boolean, domain: DomainWarning | null): readonly Asked[] {
  const legal = faults
    .filter(({ code, level }) => level === 'warning' && (code === 'L14') === isTest)
    .map(({ code, message }) =>
      code === WARN_ONCE
        ? { code, message: SENDING_MESSAGES.legal.noOneClick, once: message }
        : { code, message, once: null },
    );
  return domain === null || isTest ? legal : [...legal, { code: 'domain_health', ...domain }];
}

/**
 * Sorts the legal faults of an order: some keep it from leaving, others a person must tick.
 *
 * @param faults undefined: loading
 * @param domain what is to be ticked of the sender's domain; null: nothing
 */
export function useLegalChecks(
  faults: readonly LegalFault[] | undefined,
  isTest: boolean,
  domain: DomainWarning | null,
) {
  const told = useTold((state) => state.legal_warnings_told);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [legalFaults, setLegalFaults] = useState<readonly LegalError[]>([]);
  const known = faults ?? [];
  const found = known.filter(({ level }) => level === 'error');
  const errors: readonly LegalError[] = found.length > 0 ? found : legalFaults;
  const asked = warningsOf(known, isTest, domain).filter(({ once }) => once === null || !told.includes(once));
  const warnings = [...new Set(asked.map(({ message }) => message))];
  return {
    errors,
    warnings,
    ticked,
    /** What the ticked warnings are about, for the record. */
    acknowledged: ACKNOWLEDGEMENTS.filter((rule) =>
      asked.some(({ code, message }) => code === rule && ticked.has(message)),
    ),
    /** Whether the order may be sent as far as is known here. */
    isPassed:
      faults !== undefined && (isTest || found.length === 0) && warnings.every((warning) => ticked.has(warning)),
    tick(warning: string, isTicked: boolean): void {
      const next = new Set(ticked);
      if (isTicked) next.add(warning);
      else next.delete(warning);
      setTicked(next);
    },
    /** The order has left. */
    accept(): void {
      useTold.setState({ legal_warnings_told: [...told, ...asked.flatMap(({ once }) => once ?? [])] });
    },
    /** Shows a refusal by its rules. @returns whether it was one */
    refuse({ code, details = [] }: Pick<ApiFailure, 'code' | 'details'>): boolean {
      if (code !== INCOMPLETE || details.length === 0) return false;
      setLegalFaults(details);
      return true;
    },
  };
}

export type LegalChecks = ReturnType<typeof useLegalChecks>;
