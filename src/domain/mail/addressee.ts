import { meansBlank } from '../text/blank-text.ts';
import { splitHonorific } from './honorifics.ts';

/** Honorifics of speech, not of letters. */
const SPOKEN = /^(?:さん|氏)$/;

/** 様, optionally with a note after it. */
const SAMA = /^[様樣]/u;

/** A role instead of a name, which takes 様 without a space. */
const ROLE = /担当者?$/;

/**
 * Returns a mail's salutation line: the person in charge, a space and 様. Returns ご担当者様 for an unknown person (`NULL`,
 * `#REF! 様`), and keeps another written honorific at the end of the value.
 */
export function addressee(personInCharge: string | null | undefined): string {
  const person = (personInCharge ?? '').replace(/\s+/g, ' ').trim();
  const { name, honorific } = splitHonorific(person);
  if (meansBlank(name)) return honorific === '各位' ? honorific : 'ご担当者様';
  const isOther = honorific !== '' && !SPOKEN.test(honorific) && !SAMA.test(honorific);
  if (isOther) return person;
  return `${name}${ROLE.test(name) ? '' : ' '}${SAMA.test(honorific) ? honorific : '様'}`;
}
