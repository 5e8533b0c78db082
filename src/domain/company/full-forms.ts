/** Single characters of a legal form. No company name has them as anything else. */
const CHARACTERS: Readonly<Record<string, string>> = { '㈱': '株式会社', '㍿': '株式会社', '㈲': '有限会社' };
/** Bracketed legal forms, which count at either end only: 山田(有)店 may be another word. */
const BRACKETED = /^[(（]([株有])[)）]|[(（]([株有])[)）]$/gu;

/**
 * Writes out the abbreviated legal form of a company name as a letter addresses it, and adds nothing around it.
 * Other abbreviations, such as (同) or the ｶ) of bank transfers, stay as they were written.
 */
export const withFullForms = (companyName: string): string =>
  companyName
    .replace(/[㈱㍿㈲]/gu, (character) => CHARACTERS[character] as string)
    .replace(BRACKETED, (_form, first?: string, last?: string) => ((first ?? last) === '株' ? '株式会社' : '有限会社'));
