/**
 * Reads a typed number, also in full width and with commas.
 * @returns null: blank; undefined: not a number
 */
export function readCount(written: string): number | null | undefined {
  const text = written.normalize('NFKC').replaceAll(',', '').trim();
  if (text === '') return null;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
