import type { CompanyDetail, CompanyField } from '#contract/companies/companies.ts';
import { writtenValue } from '#web/lib/data/company-value.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { changedNames, type Seen } from '#web/lib/form/merged-form.ts';
import { COMPANY_MESSAGES } from './words.ts';

/** The fields in the order of the form. */
export const FORM_ORDER = [
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
  'external_id',
] as const satisfies readonly (CompanyField | 'external_id')[];

/** The fields of a company, and the remarks of the chosen sender group. */
export type FormField = (typeof FORM_ORDER)[number] | 'remarks';
const FORM_FIELDS: readonly FormField[] = [...FORM_ORDER, 'remarks'];

/** A company as typed. */
export type CompanyForm = Readonly<Record<FormField, string>>;

export const EMPTY_FORM = Object.fromEntries(FORM_FIELDS.map((field) => [field, ''])) as CompanyForm;

export const labelOf = (field: string): string => LABELS[field] ?? field;

const LABELS: Readonly<Record<string, string>> = {
  ...DATA_MESSAGES.prospects.columns,
  corporate_number: COMPANY_MESSAGES.corporateNumber,
  external_id: COMPANY_MESSAGES.externalId,
};

/** Returns the stored form. Its version combines those of the company and of the remarks. */
export function storedOf(company: CompanyDetail, groupId: number | undefined): Seen<CompanyForm> {
  const fields = FORM_ORDER.map((field) => [field, writtenValue(field, company[field])]);
  const group = groupOf(company, groupId);
  return {
    version: JSON.stringify([company.version, group?.remarks_version]),
    form: { ...EMPTY_FORM, ...Object.fromEntries(fields), remarks: group?.remarks ?? '' },
  };
}

export const groupOf = ({ groups }: CompanyDetail, groupId: number | undefined) =>
  groups.find(({ sender_group_id }) => sender_group_id === groupId);

export const NEW_COMPANY: Seen<CompanyForm> = { version: null, form: EMPTY_FORM };

/** Returns the name of a company's draft in the session. @param id undefined: a new company */
export const draftName = (id: number | undefined): string => `company.${id ?? 'new'}`;

/** Returns the changed fields in the form in which they are sent. */
export function changedFields(form: CompanyForm, base: CompanyForm): Partial<Record<FormField, string>> {
  return Object.fromEntries(changedNames(form, base).map((field) => [field, form[field].trim()]));
}
