import type { LegalProfile } from '#domain/legal-profile.ts';
import type { LegalFault, LegalRow } from './legal-query.ts';

/** A profile as it is being edited. */
export interface LegalForm extends LegalProfile {
  /** A person has confirmed the content. */
  readonly confirmed: boolean;
}

export const formOf = (row: LegalRow): LegalForm => ({
  official_name: row.official_name,
  department: row.department,
  postal_code: row.postal_code,
  postal_address: row.postal_address,
  contact_phone: row.contact_phone,
  contact_email: row.contact_email,
  contact_url: row.contact_url,
  refusal_email: row.refusal_email,
  privacy_url: row.privacy_url,
  basis: row.basis,
  confirmed: row.confirmed === 1,
});

/** The name of the session's draft (lib/session-store.ts) of a group's profile. */
export const draftName = (groupId: number): string => `legal_profile.${groupId}`;

export const readDraft = (draft: string | undefined, stored: LegalForm): LegalForm | undefined =>
  draft === undefined ? undefined : { ...stored, ...(JSON.parse(draft) as Partial<LegalForm>) };

/** Returns the messages of one level by field. */
export const faultsByField = (
  faults: readonly LegalFault[],
  level: LegalFault['level'],
): Partial<Record<string, string>> =>
  Object.fromEntries(
    faults
      .filter((fault) => fault.level === level)
      .map(({ path, message }) => [path.replace('legal_profile.', ''), message]),
  );
