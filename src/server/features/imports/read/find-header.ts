import { Problem, type Refusal } from '../../../platform/problem.ts';
import { fileFaults, headingMissing } from './faults.ts';
import { createCsvParser } from './read-records.ts';
import { countKnownHeadings, type Header, type OwnLabels, readHeader } from './table/header.ts';
import type { Mapping } from './table/headings.ts';
import { ntaHeader } from './table/nta-file.ts';

/** The heading row is expected within the first ten rows: lists may begin with a title, a date or a note. */
export const MAX_ROWS_TO_HEADER = 10;

/** Finds the header of a file among its first records. */
export interface HeaderFinder {
  /**
   * Takes the next record.
   * @param row as a spreadsheet counts, from 1
   * @returns the header, a Problem, or null if the next record is needed
   */
  take(cells: readonly string[], row: number): Header | Refusal | null;
  /** Returns why no record was the header. */
  fault(): Refusal;
}

/**
 * Creates a finder that recognises the header by its headings.
 * If `header.cells` is empty, the record's shape identified the file, and the record holds the first company.
 */
export function createHeaderFinder(mapping: Mapping, ownLabels: OwnLabels): HeaderFinder {
  let rows = 0;
  let fault: Refusal = fileFaults.empty;
  return {
    take(cells) {
      rows += 1;
      const known = rows === 1 ? ntaHeader(cells) : null;
      const [mapped] = [...mapping.values()].flat();
      if (known !== null) return mapped === undefined ? known : headingMissing(mapped);
      const read = readHeader(cells, mapping, ownLabels);
      if (!(read instanceof Problem)) return read;
      if (rows === 1) fault = read;
      const mayFollow = read.code === 'no_company_name_column' || read.code === 'heading_missing';
      return mayFollow && rows < MAX_ROWS_TO_HEADER ? null : mayFollow ? fault : read;
    },
    fault: () => fault,
  };
}

/**
 * Chooses the separator that makes most headings of a row known; by default the comma.
 * @param head text with the whole header
 */
export function detectSeparator(head: string, mapping: Mapping): string {
  let best = { separator: ',', matches: 0 };
  for (const separator of [',', '\t', ';']) {
    const known = firstRecords(head, separator).map((cells) => countKnownHeadings(cells, mapping));
    const matches = Math.max(0, ...known);
    if (matches > best.matches) best = { separator, matches };
  }
  return best.separator;
}

function firstRecords(text: string, separator: string): string[][] {
  const records: string[][] = [];
  const parser = createCsvParser(separator, ({ cells }) => {
    if (records.length < MAX_ROWS_TO_HEADER) records.push(cells);
  });
  parser.write(text);
  parser.end();
  return records;
}
