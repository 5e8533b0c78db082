/** Selects the targets to mail from the eligible targets, in list order. */

/**
 * Where a run's mails go. `company`: the address of the company. `primary_or_company`: that of its main contact person
 * (主担当), where it has one with an address; else that of the company.
 */
export const SEND_TO = ['company', 'primary_or_company'] as const;
export type SendTo = (typeof SEND_TO)[number];

export interface TestMode {
  readonly mail_to: string;
  readonly limit_count: number;
}

/** Returns the address of a test mail: every `[n]` becomes the row index, counted from 0. */
export const testAddress = (mailTo: string, rowIndex: number): string => mailTo.replaceAll('[n]', String(rowIndex));

/**
 * Cuts the list to `limit`. In test mode at most `limit_count` targets stay, and every address becomes the test
 * address. That address is not parsed here: it is valid only once `[n]` is replaced.
 */
export function attackTargets<Target extends { readonly company_email: string }>(
  eligible: readonly Target[],
  limit: number,
  testMode: TestMode | null,
): Target[] {
  const targets = eligible.slice(0, limit);
  if (testMode === null) return targets;
  return targets
    .slice(0, testMode.limit_count)
    .map((target, index) => ({ ...target, company_email: testAddress(testMode.mail_to, index) }));
}
