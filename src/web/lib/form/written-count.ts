/**
 * Reads a written number: full-width digits and commas count.
 * @returns null: nothing is written; undefined: it is no number
 */
export function readCount(written: string): number | null | undefined {
  const text = written.normalize('NFKC').replaceAll(',', '').trim();
  if (text === '') return null;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
