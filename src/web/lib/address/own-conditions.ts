import type { ProspectFilter } from '#contract/companies/prospects-filter.ts';

/** Reads the conditions on own fields, an object as JSON. Only the server knows which fields there are. */
export function ownConditions(text: string | null): string | undefined {
  try {
    const read: unknown = JSON.parse(text ?? 'null');
    const isSome = typeof read === 'object' && read !== null && !Array.isArray(read) && Object.keys(read).length > 0;
    return isSome ? (text ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the conditions on own fields as the address holds them. */
export const writtenOwn = ({ custom }: ProspectFilter): string | undefined =>
  custom === undefined ? undefined : JSON.stringify(custom);
