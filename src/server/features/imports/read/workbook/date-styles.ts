import { parseXml } from './parse-xml.ts';

/** Formats that Excel knows by number and does not store. 27–36 and 50–58 are those of Japanese Excel. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/**
 * Quoted text, escaped characters, fillers, and bracketed colours, conditions and languages.
 * A bracket ends at the next one, so that a code of a million brackets is read only once.
 */
const LITERAL = /"[^"]*"|\\.|_.|\*.|\[[^[\]]*\]/g;
const GENERAL = /general|g\/標準/g;
const EXPONENT = /e[+-]/g;

/** Checks whether a number format shows a date: `yyyy/m/d`, `ggge"年"`. */
export function isDateFormat(code: string): boolean {
  const [first = ''] = code.toLowerCase().replace(LITERAL, '').split(';');
  return /[ymdge]/.test(first.replace(GENERAL, '').replace(EXPONENT, ''));
}

/** Reads which cell styles show dates. @returns an entry for each style, by position */
export async function readDateStyles(pieces: AsyncIterable<Buffer>): Promise<boolean[]> {
  const dates = new Map<string, boolean>();
  const styles: boolean[] = [];
  let isInCellStyles = false;
  await parseXml(pieces, {
    open(name, { numFmtId = '0', formatCode = '' }) {
      if (name === 'numFmt') dates.set(numFmtId, isDateFormat(formatCode));
      else if (name === 'cellXfs') isInCellStyles = true;
      else if (name === 'xf' && isInCellStyles) styles.push(dates.get(numFmtId) ?? isBuiltInDate(Number(numFmtId)));
    },
    close(name) {
      if (name === 'cellXfs') isInCellStyles = false;
    },
  });
  return styles;
}
