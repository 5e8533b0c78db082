/** Rows of JIS X 0208 as EUC-JP: 1–8 and 16–84. Rows 13 and 89–92 hold the vendors' characters (①, ㈱, 髙). */
const FIRST_ROW = 1;
const LAST_ROW = 84;
const VENDORS_ROW = 13;
const CELLS = 94;
/** EUC-JP writes row and cell with this added. */
const EUC = 0xa0;

/** Characters that Unicode has twice: mail programs write each as the other. */
const RESPELLED = '〜～‖∥−－—―¢￠£￡¬￢';

/** ASCII, the letters of Japanese mail (JIS X 0208), and white space. */
function portableCharacters(): Set<string> {
  const cells: number[] = [];
  for (let row = FIRST_ROW; row <= LAST_ROW; row += 1) {
    if (row === VENDORS_ROW) continue;
    for (let cell = 1; cell <= CELLS; cell += 1) cells.push(EUC + row, EUC + cell);
  }
  const letters = new TextDecoder('euc-jp').decode(new Uint8Array(cells)).replaceAll('\ufffd', '');
  return new Set([...letters, ...RESPELLED]);
}

let portable: Set<string> | undefined;

/**
 * Finds the characters that old Japanese mail programs (ISO-2022-JP) show wrongly: ①, ㈱, 髙, emoji, half-width kana.
 * @returns each once, in the order of the text
 */
export function garbledCharacters(text: string): string[] {
  portable ??= portableCharacters();
  const found = new Set(text.replace(/[\x20-\x7e\s]/g, ''));
  return [...found].filter((character) => !(portable as Set<string>).has(character));
}
