import { normalizeText } from './text-filter.ts';

const fold = (text: string): string => normalizeText(text).replace(/\s+/g, ' ').trim();

/**
 * Returns the key that two rows of an import share if they are the same company. It is the name and address, after
 * NFKC, lower case and folding of white space. A line break joins the parts; no folded part can hold one, so no two
 * pairs share a key.
 */
export const identityKey = (company: { company_name: string; address: string | null }): string =>
  `${fold(company.company_name)}\n${fold(company.address ?? '')}`;
