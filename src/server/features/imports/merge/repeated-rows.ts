import { numberedKey } from '#domain/company/prospect-identity.ts';
import type { ProspectRow } from '../read/cells/check-row.ts';

export interface Repeat {
  row: number;
  /** The row that holds the same company. */
  firstRow: number;
  companyName: string;
}

/**
 * Separates the rows of a batch whose company is in an earlier row of it. The first row counts; a later one only adds
 * its corporate number where the first has none.
 * Of rows with one name and address but different numbers, which are different companies, the later ones get a key of
 * their own. merge.queries.ts has the same rules for companies in the database and in earlier batches.
 */
export function separateRepeats(rows: readonly ProspectRow[]): { rows: ProspectRow[]; repeats: Repeat[] } {
  const byNumber = new Map<string, ProspectRow>();
  const byKey = new Map<string, ProspectRow>();
  const repeats: Repeat[] = [];
  const kept = rows.filter((row) => {
    const number = numberOf(row);
    const twin = byKey.get(row.identityKey);
    const isTwin = twin !== undefined && (number === null || [null, number].includes(numberOf(twin)));
    const first = (number === null ? undefined : byNumber.get(number)) ?? (isTwin ? twin : undefined);
    if (first !== undefined) {
      const { row: firstRow, values } = first;
      repeats.push({ row: row.row, firstRow, companyName: String(row.values.company_name) });
      values.corporate_number ??= number;
    } else if (twin !== undefined && number !== null) row.identityKey = numberedKey(row.identityKey, number);
    if (number !== null && !byNumber.has(number)) byNumber.set(number, first ?? row);
    if (first === undefined) byKey.set(row.identityKey, row);
    return first === undefined;
  });
  return { rows: kept, repeats };
}

const numberOf = ({ values }: ProspectRow): string | null => values.corporate_number as string | null;
