import type { CompanyDetail, CompanyField } from '#contract/companies.ts';
import { writtenValue } from '#web/lib/company-value.ts';
import { changedNames, mergedForm, type Seen } from '#web/lib/merged-form.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { COMPANY_MESSAGES } from './words.ts';

/** The fields in the order of the form. */
export const COMPANY_FIELDS = [
  'company_name',
  'company_email',
  'ceo',
  'major_industry_type',
  'included_industry_type',
  'address',
  'number_of_employees',
  'amount_of_sales',
  'ordinary_profit',
  'capital',
  'year_of_establishment',
  'phone',
  'company_url',
  'contact_url',
  'published_at_url',
  'published_seen_on',
  'publication_notice',
  'corporate_number',
] as const satisfies readonly CompanyField[];

/** The fields of a company, and the remarks of the chosen sender group. */
export type FormField = CompanyField | 'remarks';
const FORM_FIELDS: readonly FormField[] = [...COMPANY_FIELDS, 'remarks'];

/** A company as a person writes it. */
export type CompanyForm = Readonly<Record<FormField, string>>;
export type Faults = Readonly<Partial<Record<FormField, string>>>;

export const EMPTY_FORM = Object.fromEntries(FORM_FIELDS.map((field) => [field, ''])) as CompanyForm;

/** The stored company: the versions that its save names, of its own values and of the remarks; null: a new company. */
export interface Stored extends Seen<CompanyForm> {
  readonly remarksVersion: string | null;
}

/** What a person has typed, and the stored company that it began from. */
interface CompanyDraft {
  readonly base: Stored;
  readonly form: CompanyForm;
}

export const labelOf = (field: string): string =>
  field === 'corporate_number'
    ? COMPANY_MESSAGES.corporateNumber
    : (COMMON_MESSAGES.prospects.columns[field as keyof typeof COMMON_MESSAGES.prospects.columns] ?? field);

export function storedOf(company: CompanyDetail, groupId: number | undefined): Stored {
  const fields = COMPANY_FIELDS.map((field) => [field, writtenValue(field, company[field])]);
  const group = company.groups.find(({ sender_group_id }) => sender_group_id === groupId);
  return {
    version: company.version,
    remarksVersion: group?.remarks_version ?? null,
    form: { ...EMPTY_FORM, ...Object.fromEntries(fields), remarks: group?.remarks ?? '' },
  };
}

export const NEW_COMPANY: Stored = { version: null, remarksVersion: null, form: EMPTY_FORM };

/** The name of the session's draft of a company; undefined: a new one. */
export const draftName = (id: number | undefined): string => `company.${id ?? 'new'}`;

/** Reads a draft. A draft of an older version of this program may lack fields. */
export function readDraft(draft: string | undefined): CompanyDraft | undefined {
  if (draft === undefined) return undefined;
  const { base, form } = JSON.parse(draft) as CompanyDraft;
  return { base: { ...base, form: { ...EMPTY_FORM, ...base.form } }, form: { ...EMPTY_FORM, ...form } };
}

/** Returns the fields that were changed, as they would be sent. */
export function changedFields(form: CompanyForm, base: CompanyForm): Partial<Record<FormField, string>> {
  return Object.fromEntries(changedNames(FORM_FIELDS, form, base).map((field) => [field, form[field].trim()]));
}

/** Merges a draft with what is stored now. The remarks have a version of their own. */
export const merged = ({ base, form }: CompanyDraft, stored: Stored) =>
  mergedForm(FORM_FIELDS, { base: asOne(base), form }, asOne(stored));

const asOne = ({ version, remarksVersion, form }: Stored): Seen<CompanyForm> => ({
  version: JSON.stringify([version, remarksVersion]),
  form,
});
