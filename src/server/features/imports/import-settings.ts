import type { z } from 'zod';
import { type checkImport, IMPORT_SEPARATORS } from '#contract/imports-steps.ts';
import type { ChosenTable } from './read/table/header.ts';

/** How a file is read, as the person chose it; what is missing is detected. */
export type ImportSettings = z.output<(typeof checkImport)['body']>['add_info'];

export const SEPARATORS = { comma: ',', tab: '\t', semicolon: ';' } as const;

export const nameOfSeparator = (separator: string) =>
  IMPORT_SEPARATORS.find((name) => SEPARATORS[name] === separator) ?? 'comma';

/** Returns the table as the import reads it. */
export const tableOf = ({ table }: ImportSettings): ChosenTable | undefined =>
  table && { separator: SEPARATORS[table.separator], headerRow: table.header_row, columns: table.columns };
