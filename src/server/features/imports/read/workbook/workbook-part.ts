import { posix } from 'node:path';
import type { PackageParts } from './package-parts.ts';
import { type Attributes, parseXml } from './parse-xml.ts';
import { WorkbookFault, workbookFaults } from './workbook-faults.ts';

interface Sheet {
  readonly name: string;
  readonly hidden: boolean;
  /** The name of its part. */
  readonly part: string;
}

/** The content of the workbook part: the sheets in order, and the locations of other parts. */
export interface Workbook {
  readonly sheets: readonly Sheet[];
  /** Days count from 1904, as in old Excel for the Mac, not from 1900. */
  readonly from1904: boolean;
  readonly sharedStrings: string | null;
  readonly styles: string | null;
}

interface Relation {
  readonly id: string;
  /** The last word of its type: `worksheet`, `sharedStrings` … */
  readonly type: string;
  readonly target: string;
}

/** Reads the sheets of a workbook. Throws WorkbookFault for another kind of ZIP. */
export async function readWorkbookPart(parts: PackageParts): Promise<Workbook> {
  checkKind(parts);
  const main = (await relationsOf(parts, '')).find(({ type }) => type === 'officeDocument')?.target;
  if (main === undefined || !parts.has(main)) throw new WorkbookFault(workbookFaults.broken);
  const relations = await relationsOf(parts, main);
  const sheets: Sheet[] = [];
  let from1904 = false;
  await parseXml(parts.read(main), {
    open(name, attributes) {
      if (name === 'workbookPr') from1904 = ['1', 'true', 'on'].includes(attributes.date1904 ?? '');
      if (name !== 'sheet') return;
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1];
      const relation = relations.find((one) => one.id === id);
      // A chart sheet has no cells.
      if (relation?.type !== 'worksheet') return;
      const hidden = (attributes.state ?? 'visible') !== 'visible';
      sheets.push({ name: attributes.name ?? '', hidden, part: relation.target });
    },
  });
  const partOf = (wanted: string) =>
    relations.find(({ type, target }) => type === wanted && parts.has(target))?.target ?? null;
  return { sheets, from1904, sharedStrings: partOf('sharedStrings'), styles: partOf('styles') };
}

/** Refuses other file types that are ZIPs too, by the names of their parts. */
function checkKind({ names, has }: PackageParts): void {
  if (names.some((name) => name.endsWith('vbaproject.bin') || name.startsWith('xl/macrosheets/'))) {
    throw new WorkbookFault(workbookFaults.macros);
  }
  if (has('xl/workbook.bin')) throw new WorkbookFault(workbookFaults.binaryExcel);
  if (has('Index.zip') || names.some((name) => name.endsWith('.iwa'))) throw new WorkbookFault(workbookFaults.numbers);
  if (has('mimetype')) throw new WorkbookFault(workbookFaults.openDocument);
  const isOffice = has('[Content_Types].xml') && has('_rels/.rels');
  if (!isOffice || names.some((name) => /^(?:word|ppt)\//.test(name))) {
    throw new WorkbookFault(workbookFaults.notATable);
  }
}

/** Reads the relations of a part. Relations to other files are never followed. @param part '' for the package */
async function relationsOf(parts: PackageParts, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part);
  const name = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  const relations: Relation[] = [];
  if (!parts.has(name)) return relations;
  await parseXml(parts.read(name), {
    open(element, { Id: id = '', Type = '', Target = '', TargetMode }: Attributes) {
      if (element !== 'Relationship' || TargetMode === 'External') return;
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target);
      relations.push({ id, type: posix.basename(Type), target });
    },
  });
  return relations;
}
