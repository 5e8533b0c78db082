import { writeFile } from 'node:fs/promises';
import { createCsvParser } from '#server/features/imports/read/read-records.ts';
import { columnName, workbookOf } from '#test/workbook.ts';
import { makeProspectsCsv } from '../scripts/make-examples.ts';

/** `node bench/workbook-file.ts FILE ROWS`: writes the list of bench/import-files.ts as xlsx, with shared texts. */
const [path = 'list.xlsx', rows = '1000'] = process.argv.slice(2);
const strings = new Map<string, number>();
const xml: string[] = [];
const isNumber = (cell: string) => /^-?[1-9]\d{0,14}$/.test(cell);

function cellXml(cell: string, place: string): string {
  if (cell === '') return '';
  if (isNumber(cell)) return `<c r="${place}"><v>${cell}</v></c>`;
  const at = strings.get(cell) ?? strings.size;
  strings.set(cell, at);
  return `<c r="${place}" t="s"><v>${at}</v></c>`;
}

const parser = createCsvParser(',', ({ cells, row }) =>
  xml.push(`<row r="${row}">${cells.map((cell, at) => cellXml(cell, columnName(at) + row)).join('')}</row>`),
);
parser.write(makeProspectsCsv(Number(rows)).replace(/^\ufeff/, ''));
parser.end();
const texts = [...strings.keys()].map(
  (text) => `<si><t>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</t></si>`,
);
await writeFile(path, workbookOf({ sheets: [{ xml: xml.join('') }], strings: texts.join('') }));
