/**
 * The line a mail greets its reader with: the person in charge and 様. Nobody known: ご担当者様. A value that already ends in
 * 様 or 御中 gets no second one.
 */
export function addressee(personInCharge: string | null | undefined): string {
  const person = (personInCharge ?? '').replace(/\s+/g, ' ').trim();
  if (person === '') return 'ご担当者様';
  if (/(?:様|御中)$/.test(person)) return person;
  // After a name of two words (`山田 太郎`) the honorific stands apart too, as one writes it.
  return person.includes(' ') ? `${person} 様` : `${person}様`;
}
