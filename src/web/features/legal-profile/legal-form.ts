import { LEGAL_FIELDS, type LegalProfile } from '#domain/law/profile.ts';
import { changedNames, type FormDraft, mergedForm, type Seen, type TheirField } from '#web/lib/merged-form.ts';
import type { LegalFault, LegalRow } from './legal-query.ts';
import { LEGAL_MESSAGES as messages } from './words.ts';

/** A profile as it is being edited. */
export interface LegalForm extends LegalProfile {
  /** A person has confirmed the content. */
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

/** The name of the session's draft (lib/session-store.ts) of a group's profile. */
export const draftName = (groupId: number): string => `legal_profile.${groupId}`;

/** What is stored of a group. */
export const storedOf = (row: LegalRow): Seen<LegalForm> => ({ version: row.version, form: formOf(row) });

export interface LegalDraft extends FormDraft<LegalForm> {
  /** The version that was on the screen at the last change: a confirmation is one of that content. */
  readonly shown: string | null;
}

/** Reads a draft. One of an older version of this program is the form alone. */
export function readDraft(draft: string | undefined, stored: Seen<LegalForm>): LegalDraft | undefined {
  if (draft === undefined) return undefined;
  const read = JSON.parse(draft) as LegalDraft | Partial<LegalForm>;
  if ('base' in read) return read;
  return { base: stored, form: { ...stored.form, ...read }, shown: stored.version };
}

/** Merges a draft with what is stored now. Nobody has confirmed what another member has changed since. */
export function merged(draft: LegalDraft, stored: Seen<LegalForm>) {
  const { form, theirs } = mergedForm(FORM_FIELDS, draft, stored);
  if (draft.shown === stored.version) return { form, theirs };
  const own = changedNames(FORM_FIELDS, { ...form, confirmed: true }, { ...stored.form, confirmed: true });
  return { form: { ...form, confirmed: own.length === 0 && stored.form.confirmed }, theirs };
}

const FORM_FIELDS = [...LEGAL_FIELDS, 'confirmed'] as const;

/** Returns a value of another member as the form shows it. */
export function shownValue({ field, theirs }: TheirField<keyof LegalForm>): { label: string; value: string } {
  if (field === 'confirmed') return { label: messages.confirmed, value: messages.confirmedWords[theirs ? 1 : 0] };
  const value = field === 'basis' ? messages.bases[theirs as LegalProfile['basis']] : String(theirs);
  return { label: messages.fields[field], value };
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
