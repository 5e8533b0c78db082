import { LEGAL_WARNINGS } from './profile.ts';

/**
 * What a person ticks before a real send: warnings of the law, that the sender's domain has faults, and that mails
 * arrive where offices are closed.
 */
export const ACKNOWLEDGEMENTS = [...LEGAL_WARNINGS, 'domain_health', 'outside_hours'] as const;
export type Acknowledgement = (typeof ACKNOWLEDGEMENTS)[number];
