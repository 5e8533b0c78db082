import { normalizeText } from '../text/text-filter.ts';

/*
 * Decides when two rows of lists are the same company. Keys are stored, so each change here needs a migration that
 * repeats it in SQL. If a change makes two companies equal, both are kept: the first gets the new key, the other keeps
 * its old one.
 */

/** Characters that CP932 replaces by others, with the replacement after NFKC. */
const RESPELLINGS: Readonly<Record<string, string>> = {
  '〜': '~',
  '−': '-',
  '‖': '∥',
  '—': '―',
  '¥': '\\',
  '·': '・',
  '〞': '〟',
};
const RESPELLED = new RegExp(`[${Object.keys(RESPELLINGS).join('')}]`, 'gu');

/** Abbreviated legal forms at the start or end of a name. (㈱ is (株) after NFKC.) */
const LEGAL_FORMS: Readonly<Record<string, string>> = {
  株: '株式会社',
  有: '有限会社',
  同: '合同会社',
  名: '合名会社',
  資: '合資会社',
  医: '医療法人',
  財: '財団法人',
  社: '社団法人',
  学: '学校法人',
  福: '社会福祉法人',
};
const SHORT = Object.keys(LEGAL_FORMS).join('');
const LONG = Object.values(LEGAL_FORMS).join('|');
const FORM_FIRST = new RegExp(`^(?:\\(([${SHORT}])\\)|(${LONG})) ?`, 'u');
const FORM_LAST = new RegExp(` ?(?:\\(([${SHORT}])\\)|(${LONG}))$`, 'u');

const fold = (text: string): string =>
  normalizeText(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(RESPELLED, (char) => RESPELLINGS[char] as string);

/** Matches any dash of an address. ー is a dash only beside digits and Latin letters: 1ー2, but スーパー. */
const DASHES = /[‐–—―─]|(?<=[0-9a-z一二三四五六七八九十]) ?ー ?(?=[0-9a-z一二三四五六七八九十])/gu;

const foldAddress = (address: string): string => fold(address).replace(DASHES, '-');

const longForm = (_match: string, short: string | undefined, long: string | undefined): string =>
  short === undefined ? (long ?? '') : (LEGAL_FORMS[short] as string);

const foldName = (name: string): string => fold(name).replace(FORM_FIRST, longForm).replace(FORM_LAST, longForm);

/**
 * Returns a key that is equal for companies with the same name and address.
 * It ignores width, case, white space, `(株)` against `株式会社`, CP932 replacements, and the kind of dash. A line break
 * joins the parts; no folded part can hold one, so no two pairs share a key.
 */
export const identityKey = (company: { company_name: string; address: string | null }): string =>
  `${foldName(company.company_name)}\n${foldAddress(company.address ?? '')}`;

/**
 * Returns the key of a company whose name and address already are the key of a company with another corporate number.
 * Corporate numbers are unique, so this key is always free.
 */
export const numberedKey = (key: string, corporateNumber: string): string => `${key}\n${corporateNumber}`;
