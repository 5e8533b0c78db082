/** What people write into a cell to say that there is nothing. */
const NOTHING = new Set([
  '',
  '-',
  '‐',
  '‑',
  '–',
  '—',
  '―',
  '−',
  'ー',
  '無',
  'なし',
  '無し',
  '不明',
  '非公開',
  '未公開',
  '未定',
  '該当なし',
  'n/a',
]);
const LONGEST_NOTHING = 4;

export const saysNothing = (text: string): boolean =>
  text.length <= LONGEST_NOTHING && !/^\d/.test(text) && NOTHING.has(text.normalize('NFKC').toLowerCase());

/** Anything that `cleanCell` has to look at twice. */
const UNUSUAL = /[\p{Cc}\u200b\u2028-\u202e\u2060-\u2069\ufeff]|\u3099|\u309a/u;
/** Controls, and characters that turn the direction of a line around. */
const FORBIDDEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/**
 * A cell as it is stored: trimmed, in one line (names go into mail headers), without characters that show nothing, and kana with
 * a separate dakuten (files from a Mac) composed. Not NFC as a whole: that would replace kanji of names (神 U+FA19).
 * null: it holds NUL or another control character.
 */
export function cleanCell(cell: string): string | null {
  if (!UNUSUAL.test(cell)) return cell.trim();
  const text = cell
    .replace(/[\r\n\t\u2028\u2029]+/g, ' ')
    .replace(/[\u200b\u2060\ufeff]/g, '')
    .replace(/[\u3041-\u30ff][\u3099-\u309a]/g, (kana) => kana.normalize('NFC'))
    .trim();
  return FORBIDDEN.test(text) ? null : text;
}

/**
 * A copy that shares no memory. V8 keeps a slice as a pointer into the text it was cut from: a slice put into a long-lived
 * structure would hold on to its whole piece of the file.
 */
export const detached = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');
