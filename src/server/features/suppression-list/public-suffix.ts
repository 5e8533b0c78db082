import { getDomain } from 'tldts';

/**
 * Checks whether a domain is one below which anybody registers names, such as `jp` and `co.jp` (decisions/refusals).
 */
export const isPublicSuffix = (domain: string): boolean => getDomain(domain, { allowPrivateDomains: false }) === null;
