import { LEGAL_WARNINGS } from './profile.ts';

/**
 * What a person ticks before a real send: warnings of the law, that the sender's domain has faults, and that mails
 * arrive where offices are closed, or leave on several days.
 */
export const ACKNOWLEDGEMENTS = [...LEGAL_WARNINGS, 'domain_health', 'outside_hours', 'over_limit'] as const;
export type Acknowledgement = (typeof ACKNOWLEDGEMENTS)[number];
