import type { z } from 'zod';
import { type checkImport, IMPORT_SEPARATORS } from '#contract/imports/imports-steps.ts';
import type { ChosenTable } from './read/table/chosen-header.ts';

type Asked = z.output<(typeof checkImport)['body']>['add_info'];

/** How a file is read, as the person chose; missing settings are detected. */
export type ImportSettings = Omit<Asked, 'as_before'>;

export const SEPARATORS = { comma: ',', tab: '\t', semicolon: ';' } as const;

export const nameOfSeparator = (separator: string) =>
  IMPORT_SEPARATORS.find((name) => SEPARATORS[name] === separator) ?? 'comma';

/** Returns the settings of a check. The choice for telephone numbers is kept for the file until it is changed. */
export function settingsAfter(before: ImportSettings | null, { as_before: asBefore, ...asked }: Asked): ImportSettings {
  const phones = asked.phones ?? before?.phones;
  return { ...(asBefore === 1 && before), ...asked, ...(phones !== undefined && { phones }) };
}

/** Returns the table as the import reads it. */
export const tableOf = ({ table }: ImportSettings): ChosenTable | undefined =>
  table && { separator: SEPARATORS[table.separator], headerRow: table.header_row, columns: table.columns };
