import { getDomain } from 'tldts';

/** Checks whether anybody can register names below a domain, such as `jp` and `co.jp` (decisions/refusals). */
export const isPublicSuffix = (domain: string): boolean => getDomain(domain, { allowPrivateDomains: false }) === null;
