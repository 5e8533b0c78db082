import { meansBlank } from '../text/blank-text.ts';
import { splitHonorific } from './honorifics.ts';

/** What a person is called, but not in a letter. */
const SPOKEN = /^(?:さん|氏)$/;

/** 様, with a note behind it or none. */
const SAMA = /^[様樣]/u;

/** Who is no name, and takes 様 without a space. */
const ROLE = /担当者?$/;

/**
 * Returns the salutation line of a mail: the person in charge, a space and 様. It returns ご担当者様 where the person is
 * unknown (`NULL`, `#REF! 様`), and keeps another honorific of letters that the value already ends in.
 */
export function addressee(personInCharge: string | null | undefined): string {
  const person = (personInCharge ?? '').replace(/\s+/g, ' ').trim();
  const { name, honorific } = splitHonorific(person);
  if (meansBlank(name)) return honorific === '各位' ? honorific : 'ご担当者様';
  const isOther = honorific !== '' && !SPOKEN.test(honorific) && !SAMA.test(honorific);
  if (isOther) return person;
  return `${name}${ROLE.test(name) ? '' : ' '}${SAMA.test(honorific) ? honorific : '様'}`;
}
