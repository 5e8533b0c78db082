import { LEGAL_WARNINGS } from './profile.ts';

/** What a person ticks before a real send: warnings of the law, and that the sender's domain has faults. */
export const ACKNOWLEDGEMENTS = [...LEGAL_WARNINGS, 'domain_health'] as const;
export type Acknowledgement = (typeof ACKNOWLEDGEMENTS)[number];
