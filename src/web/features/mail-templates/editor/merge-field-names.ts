import { MERGE_FIELD_NAMES } from '#contract/sending/merge-field-names.ts';
import type { MERGE_FIELDS } from '#domain/mail/merge-fields.ts';
import type { OwnLabels } from '#web/lib/data/own/own-labels.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

export type MergeField = (typeof MERGE_FIELDS)[number];

const names: Partial<Readonly<Record<string, string>>> = {
  ...MERGE_FIELD_NAMES,
  ...TEMPLATE_MESSAGES.fieldNames,
};

/** The merge fields as the menu groups them (`custom`: the account's own), without the lines of the dates, a repeat. */
export const FIELD_GROUPS = [
  ['company', ['company_name', 'person_in_charge']],
  ['custom', []],
  ['person', ['person.department', 'person.title', 'person.name']],
  ['sender', ['sender.person_in_charge', 'sender.email', 'sender.signature']],
  ['own', ['account.company', 'account.name']],
  ['dates', ['candidate_dates']],
  ['legal', ['legal_footer', 'unsubscribe_url', 'legal.official_name', 'legal.postal_address', 'legal.contact']],
] as const satisfies readonly (readonly [keyof typeof TEMPLATE_MESSAGES.fieldGroups, readonly MergeField[]])[];

/** Returns the name of a field, if it has one. */
export const mergeFieldName = (field: string, own?: OwnLabels): string | undefined => names[field] ?? own?.get(field);

/** Returns the label on the chip of a merge field or tag: the field's name, or the text between the braces. */
export function chipLabel(source: string, own?: OwnLabels): string {
  const field = /^\{\{-?\s*([\w.]+)\s*(?:\|\s*default:[^|]*)?-?\}\}$/.exec(source)?.[1] ?? '';
  return mergeFieldName(field, own) ?? source;
}
