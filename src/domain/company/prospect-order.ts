/** Compares prospects in the order of a sorted list. */

export type SortValue = string | number | boolean | null;
export type SortOrder = 'asc' | 'desc';

const isBlank = (value: SortValue): boolean => value === null || value === '';

/**
 * Compares by code point, as a database with the collation "C" does. `<` compares UTF-16 units and puts 𠮷 before ﾃ.
 */
function compareText(a: string, b: string): number {
  const left = Array.from(a, (char) => char.codePointAt(0) ?? 0);
  const right = Array.from(b, (char) => char.codePointAt(0) ?? 0);
  const at = left.findIndex((code, index) => code !== right[index]);
  if (at === -1) return left.length - right.length;
  return (left[at] ?? 0) - (right[at] ?? -1);
}

/**
 * Compares two rows of a sorted list; false comes before true. Ties go by id, in the direction of the order. Blanks
 * (null, '') are last in both directions, by rising id.
 */
export function compareForList(
  a: { id: number; value: SortValue },
  b: { id: number; value: SortValue },
  order: SortOrder,
): number {
  if (isBlank(a.value) || isBlank(b.value)) return Number(isBlank(a.value)) - Number(isBlank(b.value)) || a.id - b.id;
  const ascending =
    typeof a.value === 'string' && typeof b.value === 'string'
      ? compareText(a.value, b.value)
      : Number(a.value) - Number(b.value);
  const rising = ascending || a.id - b.id;
  return order === 'asc' ? rising : -rising;
}
