import iconv from 'iconv-lite';

/** What Excel shows for a character that Shift_JIS does not have. */
const GETA = '〓';

/** Characters that Unicode has twice, and CP932 under the other one. */
const RESPELLED: Readonly<Record<string, string>> = {
  '〜': '～',
  '−': '－',
  '‖': '∥',
  '—': '―',
  '¢': '￠',
  '£': '￡',
  '¬': '￢',
};
const RESPELLED_PATTERN = new RegExp(`[${Object.keys(RESPELLED).join('')}]`, 'g');

/**
 * Encodes a text in CP932, the Shift_JIS of Windows.
 * @returns the bytes, and how many characters have become 〓
 */
export function encodeCp932(text: string): { readonly bytes: Buffer; readonly replaced: number } {
  const wanted = text.replace(RESPELLED_PATTERN, (character) => RESPELLED[character] ?? character);
  const bytes = iconv.encode(wanted, 'cp932');
  if (iconv.decode(bytes, 'cp932') === wanted) return { bytes, replaced: 0 };
  let replaced = 0;
  const possible = Array.from(wanted, (character) => {
    if (iconv.decode(iconv.encode(character, 'cp932'), 'cp932') === character) return character;
    replaced += 1;
    return GETA;
  });
  return { bytes: iconv.encode(possible.join(''), 'cp932'), replaced };
}
