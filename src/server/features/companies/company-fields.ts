import { COMPANY_FIELDS, type CompanyField } from '#contract/companies/companies.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { Problem } from '../../platform/problem.ts';
import { NO_VALUES, type ProspectRow, readCell, withDerived } from '../imports/read/cells/check-row.ts';
import { COLUMNS } from '../imports/read/table/columns.ts';

export type CompanyValues = ProspectRow['values'];

/** Values as typed; a missing field keeps its value. */
type Written = { readonly [Field in CompanyField]?: string | number | null | undefined };

/**
 * Reads typed values by the rules of the import's cells (imports/read/cells/check-row.ts).
 * @param place the object of the body: `add_info` or `update_info`
 * @param present the company's current values; absent: a new company
 * @param now epoch milliseconds: a company may be established in the next year
 * @returns the company as it is stored; or 400 with each fault at its field
 */
export function readCompany(
  written: Written,
  { place, present = NO_VALUES, now }: { place: string; present?: CompanyValues; now: number },
): ProspectRow | Problem {
  const latestYear = Number(dayOf(now).slice(0, 4)) + 1;
  const values = { ...present };
  const faults: { path: string; message: string }[] = [];
  for (const column of COLUMNS) {
    const given = written[column.field];
    if (given === undefined) continue;
    const read = readCell(given === null ? '' : String(given), column, '', latestYear);
    if (read !== null && typeof read === 'object')
      faults.push({ path: `${place}.${column.field}`, message: read.fault });
    else values[column.field] = read;
  }
  const isNamed = faults.some(({ path }) => path === `${place}.company_name`) || values.company_name !== null;
  if (!isNamed) faults.unshift({ path: `${place}.company_name`, message: '会社名が入力されていません。' });
  if (faults.length > 0) return faultsProblem(faults);
  const company = withDerived(0, values, []);
  if ('reason' in company) return faultsProblem([{ path: `${place}.company_name`, message: company.reason }]);
  return company;
}

const faultsProblem = (faults: { path: string; message: string }[]) =>
  new Problem('invalid_company', faults[0]?.message ?? '', undefined, faults);

/** Returns the changed fields as the history stores them: [old, new] by field. */
export function changesBetween(old: CompanyValues, values: CompanyValues): Record<string, [unknown, unknown]> {
  const changed = COMPANY_FIELDS.filter((field) => old[field] !== values[field]);
  return Object.fromEntries(changed.map((field) => [field, [old[field], values[field]]]));
}
