/** What people write into a cell that has no value. */
const BLANK_WORDS = new Set([
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
const BLANK_WORD_MAX_LENGTH = 4;

/** Checks whether a cell stands for "no value". */
export const meansBlank = (text: string): boolean =>
  text.length <= BLANK_WORD_MAX_LENGTH && !/^\d/.test(text) && BLANK_WORDS.has(text.normalize('NFKC').toLowerCase());
