/**
 * Returns the salutation line of a mail: the person in charge and 様. It returns ご担当者様 where the person is
 * unknown, and adds nothing to a value that already ends in 様 or 御中.
 */
export function addressee(personInCharge: string | null | undefined): string {
  const person = (personInCharge ?? '').replace(/\s+/g, ' ').trim();
  if (person === '') return 'ご担当者様';
  if (/(?:様|御中)$/.test(person)) return person;
  // A full name with a space (`山田 太郎`) takes a space before the honorific too.
  return person.includes(' ') ? `${person} 様` : `${person}様`;
}
