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

/** A person of a company, as a mail greets them; '' where a part is unknown. */
export interface GreetedPerson {
  readonly department: string;
  readonly title: string;
  readonly name: string;
}

/**
 * Returns a person as delivery.person_in_charge holds them: department, title, name, each if there. `addressee()` adds
 * 様. Of a department alone it is 「購買部 ご担当者」; without any, ''.
 */
export function personAddressee({ department, title, name }: GreetedPerson): string {
  const known = [department, title, name].filter((part) => !meansBlank(part));
  return known.length === 1 && known[0] === department ? `${department} ご担当者` : known.join(' ');
}
