import { copyText } from '../../../cells/cell-text.ts';
import { parseXml } from './parse-xml.ts';

/** `_x000D_`: a character that XML does not allow, or the escape itself. */
const ESCAPED = /_x([0-9A-Fa-f]{4})_/g;

/** Decodes the characters that a workbook escapes. */
export const unescaped = (text: string): string =>
  text.includes('_x') ? text.replace(ESCAPED, (_, code) => String.fromCharCode(Number.parseInt(code, 16))) : text;

/** Collects an item's text from its formatted runs, without readings (furigana). */
export function createTextCollector() {
  let text = '';
  let isText = false;
  let readings = 0;
  return {
    begin(): void {
      text = '';
      isText = false;
      readings = 0;
    },
    open(name: string): void {
      if (name === 'rPh') readings += 1;
      else if (name === 't') isText = readings === 0;
    },
    add(more: string): void {
      if (isText) text += more;
    },
    close(name: string): void {
      if (name === 'rPh') readings -= 1;
      else if (name === 't') isText = false;
    },
    text: (): string => unescaped(text),
  };
}

/** Reads the shared strings, to which the cells of all sheets refer by position. */
export async function readSharedStrings(pieces: AsyncIterable<Buffer>): Promise<string[]> {
  const strings: string[] = [];
  const item = createTextCollector();
  await parseXml(pieces, {
    open: (name) => (name === 'si' ? item.begin() : item.open(name)),
    text: item.add,
    close(name) {
      if (name === 'si') strings.push(copyText(item.text()));
      else item.close(name);
    },
  });
  return strings;
}
