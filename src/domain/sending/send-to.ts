/**
 * Where a run's mails go. `company`: the address of the company. `primary_or_company`: that of its main contact person
 * (主担当), where it has one with an address; else that of the company.
 */
export const SEND_TO = ['company', 'primary_or_company'] as const;
export type SendTo = (typeof SEND_TO)[number];
