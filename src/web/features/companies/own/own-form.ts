import type { CompanyDetail } from '#contract/companies/companies.ts';
import type { OwnField } from '#web/lib/data/own/own-fields.ts';
import { ownText } from '#web/lib/data/own/own-value.ts';
import { changedNames, type Seen } from '#web/lib/form/merged-form.ts';
import { OWN_MESSAGES } from './words.ts';

/** The own values of a company as typed, by `custom.KEY`. */
export type OwnForm = Readonly<Record<string, string>>;

/** Returns the name of a field's value in the form, which is its path in the request. */
export const nameOf = ({ key }: Pick<OwnField, 'key'>): string => `custom.${key}`;

/** Formats a stored value as a form or a page shows it; blank: ''. */
export const shownOwn = ({ key, type }: Pick<OwnField, 'key' | 'type'>, { custom }: CompanyDetail): string =>
  ownText(type, custom[key], OWN_MESSAGES.flags);

const typedOwn = (field: OwnField, company: CompanyDetail): string =>
  field.type === 'date' ? String(company.custom[field.key] ?? '') : shownOwn(field, company);

export const storedOwn = (company: CompanyDetail, fields: readonly OwnField[]): Seen<OwnForm> => ({
  version: company.version,
  form: Object.fromEntries(fields.map((field) => [nameOf(field), typedOwn(field, company)])),
});

/** Returns what a save sends: the changed values alone, by key. */
export function changedOwn(form: OwnForm, stored: OwnForm, fields: readonly OwnField[]): Record<string, string> {
  const changed = new Set(changedNames(form, stored));
  return Object.fromEntries(
    fields
      .filter((field) => changed.has(nameOf(field)))
      .map((field) => [field.key, (form[nameOf(field)] ?? '').trim()]),
  );
}
