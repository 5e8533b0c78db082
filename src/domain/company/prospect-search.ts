import { normalizeText, searchWords } from '../text/text-filter.ts';
import { identityKey } from './prospect-identity.ts';

/** Returns a company name in the search's form: the first line of its identity key. */
export const searchedName = (name: string): string =>
  identityKey({ company_name: name, address: null }).split('\n', 1)[0] ?? '';

/** A word of a search, in the forms of both searched texts. */
interface SearchWord {
  readonly inName: string;
  readonly inEmail: string;
}

/** Returns the words of a search text. A company matches if its name or its e-mail address contains each. */
export const searchTerms = (text: string): SearchWord[] =>
  searchWords(text).map((word) => ({ inName: searchedName(word), inEmail: normalizeText(word) }));
