import { type ZipEntry, zipOf } from './zip.ts';

/** Makes workbooks for tests, including some that no program would write. write-excel-file makes ordinary ones. */

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';

/** A text, a number, or the XML of a cell without its position, such as `<c t="b"><v>1</v></c>`. */
export type TestCell = string | number | { readonly xml: string };

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Returns the letters of a column counted from 0: `A`, `AB`. */
export const columnName = (at: number): string =>
  (at >= 26 ? columnName(Math.floor(at / 26) - 1) : '') + String.fromCharCode(65 + (at % 26));

function cellXml(cell: TestCell, place: string): string {
  if (typeof cell === 'object') return cell.xml.replace('<c', `<c r="${place}"`);
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
  return cell === '' ? '' : `<c r="${place}" t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`;
}

/** Returns the XML of rows, which begin at row 1. */
export const rowsXml = (rows: readonly (readonly TestCell[])[]): string =>
  rows
    .map(
      (cells, row) =>
        `<row r="${row + 1}">${cells.map((cell, at) => cellXml(cell, `${columnName(at)}${row + 1}`)).join('')}</row>`,
    )
    .join('');

interface TestSheet {
  readonly name?: string;
  readonly state?: 'hidden';
  readonly rows?: readonly (readonly TestCell[])[];
  /** The XML of its rows, instead of `rows`. */
  readonly xml?: string;
}

interface TestWorkbook {
  readonly sheets: readonly TestSheet[];
  /** The XML of the items of the shared strings. */
  readonly strings?: string;
  /** The XML of the style sheet's content. */
  readonly styles?: string;
  readonly from1904?: boolean;
  /** Replaces or adds parts by name. */
  readonly parts?: readonly ZipEntry[];
}

const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
const relations = (content: string) => `<Relationships xmlns="${RELATIONS}">${content}</Relationships>`;

export const sheetXml = (rows: string): string =>
  `<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`;

/** Makes the bytes of a workbook. */
export function workbookOf({ sheets, strings = '', styles = '', from1904, parts = [] }: TestWorkbook): Buffer {
  const names = sheets
    .map(({ name, state }, at) => {
      const shown = state === undefined ? '' : ` state="${state}"`;
      return `<sheet name="${escaped(name ?? `Sheet${at + 1}`)}" sheetId="${at + 1}"${shown} r:id="rId${at + 1}"/>`;
    })
    .join('');
  const epoch = from1904 ? '<workbookPr date1904="1"/>' : '';
  const targets = sheets.map((_, at) => relation(`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`));
  const others = relation('s1', 'sharedStrings', 'sharedStrings.xml') + relation('s2', 'styles', '/xl/styles.xml');
  const entries: ZipEntry[] = [
    { name: '[Content_Types].xml', content: '<Types/>' },
    { name: '_rels/.rels', content: relations(relation('r1', 'officeDocument', 'xl/workbook.xml')) },
    {
      name: 'xl/workbook.xml',
      content: `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">${epoch}<sheets>${names}</sheets></workbook>`,
    },
    { name: 'xl/_rels/workbook.xml.rels', content: relations(targets.join('') + others) },
    { name: 'xl/sharedStrings.xml', content: `<sst xmlns="${MAIN}">${strings}</sst>` },
    { name: 'xl/styles.xml', content: `<styleSheet xmlns="${MAIN}">${styles}</styleSheet>` },
    ...sheets.map(({ rows = [], xml }, at) => ({
      name: `xl/worksheets/sheet${at + 1}.xml`,
      content: sheetXml(xml ?? rowsXml(rows)),
    })),
  ];
  const replaced = new Set(parts.map(({ name }) => name));
  return zipOf([...entries.filter(({ name }) => !replaced.has(name)), ...parts]);
}
