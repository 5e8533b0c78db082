import { contactsOf, type LegalProfile } from '#domain/law/profile.ts';
import {
  changedNames,
  type FormDraft,
  type Merged,
  mergeFields,
  type Seen,
  type TheirField,
} from '#web/lib/form/merged-form.ts';
import type { LegalFault, LegalRow } from './legal-query.ts';
import { LEGAL_MESSAGES as messages } from './words.ts';

/** A profile while it is edited. */
export interface LegalForm extends LegalProfile {
  /** The user has confirmed the content. */
  readonly confirmed: boolean;
}

const formOf = (row: LegalRow): LegalForm => ({
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

/** Returns the name of a group's draft in the session (lib/session/session-store.ts). */
export const draftName = (groupId: number): string => `legal_profile.${groupId}`;

/** Returns the stored form of a group. */
export const storedOf = (row: LegalRow): Seen<LegalForm> => ({ version: row.version, form: formOf(row) });

/** Merges a draft with the stored profile. Changes by another member need a new confirmation. */
export function merged(draft: FormDraft<LegalForm>, stored: Seen<LegalForm>): Merged<LegalForm> {
  const { form, theirs } = mergeFields(draft, stored);
  if (draft.shown === stored.version) return { form, theirs };
  const isTheirs = changedNames(form, stored.form).every((field) => field === 'confirmed');
  return { form: { ...form, confirmed: isTheirs && stored.form.confirmed }, theirs };
}

/** Returns another member's value as the form displays it. */
export function shownValue({ field, theirs }: TheirField<LegalForm>): { label: string; value: string } {
  if (field === 'confirmed') return { label: messages.confirmed, value: messages.confirmedWords[theirs ? 1 : 0] };
  return { label: messages.fields[field], value: field === 'basis' ? messages.bases[theirs] : theirs };
}

/**
 * Returns what a real mail still needs, in the order of the form. The server's answer has one fault of the address,
 * where the form has two fields to fill in.
 */
export function missingItems(form: LegalForm, isPlaceOptional: boolean): (keyof typeof messages.items)[] {
  const isThere = {
    official_name: form.official_name.trim() !== '',
    postal_code: form.postal_code.trim() !== '',
    postal_address: form.postal_address.trim() !== '',
    contact: contactsOf(form).some((contact) => contact.trim() !== ''),
    refusal: isPlaceOptional || form.refusal_email.trim() !== '',
    confirmed: form.confirmed,
  };
  return (Object.keys(isThere) as (keyof typeof isThere)[]).filter((item) => !isThere[item]);
}

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
