/** What a column of an imported file can be, beside a company's own fields. Without zod: the web client shows it. */

/** The columns of a person, 相手の人. */
export const PERSON_IMPORT_FIELDS = [
  'person_name',
  'person_last_name',
  'person_first_name',
  'person_department',
  'person_title',
  'person_email',
  'person_phone',
  'person_met_on',
  'person_is_primary',
] as const;
export type PersonImportField = (typeof PERSON_IMPORT_FIELDS)[number];

/** An own field, tags, the member in charge, and the company's id in another system. */
export const OWN_IMPORT_FIELDS = ['own', 'tags', 'owner', 'external_id'] as const;
export type OwnImportField = (typeof OWN_IMPORT_FIELDS)[number];

/** The groups in which the screen shows the columns of a file. */
export const IMPORT_GROUPS = ['company', 'person', 'own'] as const;
