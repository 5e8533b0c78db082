/**
 * What a template may name and a mail fills in, as authors write it. The two forms of the candidate dates are one
 * field: a text, and lines to loop over.
 */
export const MERGE_FIELDS = [
  'company_name',
  'person_in_charge',
  'candidate_dates',
  'candidate_date_lines',
  'sender.person_in_charge',
  'sender.email',
  'account.name',
  'account.company',
] as const;

/** Whether a path such as `sender.email`, or one below it (`company_name.size`), is filled in. */
export const isMergeField = (path: string): boolean =>
  MERGE_FIELDS.some((field) => path === field || path.startsWith(`${field}.`));
