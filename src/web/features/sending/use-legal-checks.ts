import { useState } from 'react';
import { LEGAL_WARNINGS, type LegalFault, type LegalWarning } from '#domain/legal-profile.ts';
import type { ApiFailure } from '#web/lib/api-client.ts';
import { sessionSlice } from '#web/lib/session-store.ts';

type LegalError = Pick<LegalFault, 'path' | 'message'>;

/** The refusal of a real run that lacks what the law asks. */
const INCOMPLETE = 'legal_incomplete';

/** The server's missing address concerns its administrator: a user is told once a session. */
const TOLD_ONCE: LegalFault['code'] = 'L8';

/** Warnings that were ticked and need no other tick in this session. */
const useTold = sessionSlice<{ readonly legal_warnings_told: readonly string[] }>(({ legal_warnings_told = [] }) => ({
  legal_warnings_told,
}));

/**
 * Sorts the legal faults of an order: some keep it from leaving, others a person must tick.
 *
 * @param faults undefined: loading
 */
export function useLegalChecks(faults: readonly LegalFault[] | undefined, isTest: boolean) {
  const told = useTold((state) => state.legal_warnings_told);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<readonly LegalError[]>([]);
  const known = faults ?? [];
  const found = known.filter(({ level }) => level === 'error');
  const errors: readonly LegalError[] = found.length > 0 ? found : refused;
  // A test shows what concerns its own address. The others come before companies get mail.
  const asked = known.filter(
    ({ code, level, message }) => level === 'warning' && (code === 'L14') === isTest && !told.includes(message),
  );
  const warnings = [...new Set(asked.map(({ message }) => message))];
  return {
    errors,
    warnings,
    ticked,
    /** The rules of the ticked warnings, for the record. */
    acknowledged: LEGAL_WARNINGS.filter((rule): rule is LegalWarning =>
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
      const told_now = asked.filter(({ code }) => code === TOLD_ONCE).map(({ message }) => message);
      useTold.setState({ legal_warnings_told: [...told, ...told_now] });
    },
    /** Shows a refusal by its rules. @returns whether it was one */
    refuse({ code, details = [] }: Pick<ApiFailure, 'code' | 'details'>): boolean {
      if (code !== INCOMPLETE || details.length === 0) return false;
      setRefused(details);
      return true;
    },
  };
}

export type LegalChecks = ReturnType<typeof useLegalChecks>;
