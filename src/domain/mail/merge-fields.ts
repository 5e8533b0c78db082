/**
 * The merge fields of all accounts, as template authors write them. The candidate dates have two forms: one text, and
 * lines to loop over. An account's own fields are `custom.` with their keys.
 */
export const MERGE_FIELDS = [
  'company_name',
  'person_in_charge',
  'person.name',
  'person.department',
  'person.title',
  'candidate_dates',
  'candidate_date_lines',
  'sender.person_in_charge',
  'sender.email',
  'sender.signature',
  'account.name',
  'account.company',
  'legal_footer',
  'unsubscribe_url',
  'legal.official_name',
  'legal.postal_address',
  'legal.contact',
] as const;
