/** Legal forms before or after a name, as people write them. */
const LEGAL_FORM =
  /(?:株式|有限|合同|合名|合資)会社|(?:特定非営利活動|一般社団|一般財団|社会福祉|医療|学校|宗教|財団|社団)法人|[(（][株有同名資医財社学福][)）]|[㈱㈲]/gu;

/** Returns the first letter or digit of a company name, without its legal form. Every name has one. */
export function monogramOf(companyName: string): string {
  const own = companyName.replace(LEGAL_FORM, '');
  const [letter] = own.match(/[\p{L}\p{N}]/u) ?? companyName.match(/\S/u) ?? ['・'];
  return letter.normalize('NFKC').toLocaleUpperCase('ja-JP').slice(0, 2);
}

/** The number of tones of monograms (`--k-tone-…` in app.css). */
export const TONES = 6;

/** Returns the tone of an industry, from 1, the same for all its companies. 0: no industry. */
export function toneOf(industry: string | null): number {
  if (industry === null || industry === '') return 0;
  const sum = [...industry].reduce((hash, char) => (hash * 31 + (char.codePointAt(0) ?? 0)) % 65_521, 7);
  return 1 + (sum % TONES);
}

/** Returns the prefecture with which an address starts, or an empty text. */
export const prefectureOf = (address: string | null): string =>
  address?.match(/^\s*(?:〒?[\d-]{7,8}\s*)?(北海道|東京都|(?:京都|大阪)府|[^\d\s]{2,3}?県)/u)?.[1] ?? '';
