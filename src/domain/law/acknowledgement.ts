import { LEGAL_WARNINGS } from './profile.ts';

/**
 * What a person must acknowledge before a real order: legal warnings, faults of the sender's domain, arrival while
 * offices are closed, and sending over several days.
 */
export const ACKNOWLEDGEMENTS = [...LEGAL_WARNINGS, 'domain_health', 'outside_hours', 'over_limit'] as const;
export type Acknowledgement = (typeof ACKNOWLEDGEMENTS)[number];
