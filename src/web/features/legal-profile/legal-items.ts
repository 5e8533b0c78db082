import type { LegalFault } from './legal-query.ts';

/** What a real mail needs of a profile, with the rule that finds it missing. The basis always has a value. */
const ITEM_RULES = {
  official_name: 'L1',
  postal_address: 'L2',
  contact: 'L3',
  refusal: 'L8',
  basis: null,
  confirmed: 'L4',
} as const;
type LegalItem = keyof typeof ITEM_RULES;
const LEGAL_ITEMS = Object.keys(ITEM_RULES) as LegalItem[];

/** Returns the parts that are missing. */
export const missingItems = (faults: readonly LegalFault[]): LegalItem[] =>
  LEGAL_ITEMS.filter((item) => faults.some(({ code, level }) => level === 'error' && code === ITEM_RULES[item]));
