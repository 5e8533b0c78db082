import { getDomain } from 'tldts';

/** Checks whether a domain is one below which anybody registers names, such as `jp` and `co.jp` (decision 0172). */
export const isPublicSuffix = (domain: string): boolean => getDomain(domain, { allowPrivateDomains: false }) === null;
