import { meansBlank } from './blank-text.ts';
import { splitHonorific } from './honorifics.ts';

/** What a person is called, but not in a letter. */
const SPOKEN = /^(?:さん|氏)$/;

/**
 * Returns the salutation line of a mail: the person in charge and 様. It returns ご担当者様 where the person is
 * unknown (`NULL`, `#REF! 様`), and adds nothing to a value that already ends in an honorific of letters.
 */
export function addressee(personInCharge: string | null | undefined): string {
  const person = (personInCharge ?? '').replace(/\s+/g, ' ').trim();
  const { name, honorific } = splitHonorific(person);
  if (meansBlank(name)) return honorific === '各位' ? honorific : 'ご担当者様';
  if (honorific !== '' && !SPOKEN.test(honorific)) return person;
  // A full name with a space (`山田 太郎`) takes a space before the honorific too.
  return name.includes(' ') ? `${name} 様` : `${name}様`;
}
