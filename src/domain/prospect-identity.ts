import { normalizeText } from './text-filter.ts';

const fold = (text: string): string => normalizeText(text).replace(/\s+/g, ' ').trim();

/**
 * What makes two rows of an import the same company: its name and address, after NFKC, lower case and folding of white
 * space. The parts are joined by a line break, which no folded part can hold, so that no two pairs share a key.
 */
export const identityKey = (company: { company_name: string; address: string | null }): string =>
  `${fold(company.company_name)}\n${fold(company.address ?? '')}`;
