import { MAX_NAME_LENGTH } from '#domain/limits.ts';
import { splitHonorific } from '#domain/mail/honorifics.ts';
import { normalizeText } from '#domain/text/text-filter.ts';

/** What tells two people of a company apart: the columns of the unique key of `person`. '' and null: unknown. */
export interface PersonKey {
  /** As nameKey() makes it. */
  readonly nameKey: string;
  readonly department: string;
  /** In the form of addressKey. */
  readonly emailSearch: string | null;
}

/** NFKC can lengthen a name many times, and an index entry holds 2,704 bytes. */
const MAX_KEY_LENGTH = 2 * MAX_NAME_LENGTH;

/** Returns the form in which names are compared and found: any width and case, without spaces and 様. */
export function nameKey(name: string): string {
  const person = splitHonorific(name.replace(/\s+/gu, ' ').trim()).name;
  return normalizeText(person).replace(/\s+/gu, '').slice(0, MAX_KEY_LENGTH).toWellFormed();
}

/** Both are the same, or one is unknown. */
const agree = (a: string, b: string): boolean => a === b || a === '' || b === '';

/**
 * Checks whether two entries of a company mean one person (decisions/people). With two addresses, the address decides,
 * and then the name; otherwise the name, and then the department.
 */
export function isSamePerson(a: PersonKey, b: PersonKey): boolean {
  if (a.emailSearch !== null && b.emailSearch !== null) {
    return a.emailSearch === b.emailSearch && agree(a.nameKey, b.nameKey);
  }
  if (a.nameKey !== '' && a.nameKey === b.nameKey) return agree(a.department, b.department);
  const isUnnamed = ({ nameKey: name, emailSearch }: PersonKey) => name === '' && emailSearch === null;
  return isUnnamed(a) && isUnnamed(b) && a.department === b.department;
}

/** Returns the key of a person who takes an entry's values. Blanks erase nothing. */
export const mergedKey = (person: PersonKey, entry: PersonKey): PersonKey => ({
  nameKey: entry.nameKey || person.nameKey,
  department: entry.department || person.department,
  emailSearch: entry.emailSearch ?? person.emailSearch,
});

export const isEqualKey = (a: PersonKey, b: PersonKey): boolean =>
  a.nameKey === b.nameKey && a.department === b.department && a.emailSearch === b.emailSearch;

/**
 * Finds the person of a company whom an entry means. Of several it is one of the same department, then the first.
 * @param people in the order of their ids
 */
export function findSamePerson<P extends PersonKey>(people: readonly P[], entry: PersonKey): P | undefined {
  const fitting = people.filter((person) => isSamePerson(person, entry));
  const found = fitting.find(({ department }) => department === entry.department) ?? fitting[0];
  if (found === undefined) return undefined;
  // With the entry's values it may become equal to another one, which the unique key forbids: that one is meant then.
  const merged = mergedKey(found, entry);
  return fitting.find((other) => other !== found && isEqualKey(other, merged)) ?? found;
}
