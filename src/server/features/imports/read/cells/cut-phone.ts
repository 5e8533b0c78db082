import { hasCountryCode, isAbroad, namesCountry } from '#domain/company/abroad.ts';
import { withFirstZero } from '#domain/company/phone.ts';
import type { RowFault } from '../faults.ts';
import type { CsvRecord } from '../read-records.ts';
import type { Header } from '../table/header.ts';

export interface PhoneRules {
  /** Keeps telephone numbers without the first 0 that a spreadsheet removed. They are reported in both cases. */
  readonly keepsCutPhones?: boolean;
}

type Value = string | number | null;
interface PhoneValues {
  phone: Value;
  readonly address: Value;
}

/**
 * Restores the first 0 that a spreadsheet removed from a row's telephone number.
 * @returns the reported fault; null if no 0 is missing, or the row names another country
 */
export function mendPhone(
  values: PhoneValues,
  { cells }: CsvRecord,
  { countriesAt = [] }: Header,
  { keepsCutPhones = false }: PhoneRules,
): RowFault | null {
  const { phone, address } = values;
  const mended = typeof phone === 'string' ? withFirstZero(phone) : null;
  if (mended === null || (typeof address === 'string' && isAbroad(address))) return null;
  if (countriesAt.some((at) => namesCountry(cells[at] ?? '')) || cells.some(hasCountryCode)) return null;
  if (!keepsCutPhones) values.phone = mended;
  return {
    kind: 'cut_phone',
    column: '電話番号',
    value: String(phone),
    reason: REASONS[keepsCutPhones ? 'kept' : 'mended'],
  };
}

const REASONS = {
  mended: 'Excelで先頭の0が消えたとみて、0を補います。',
  kept: 'Excelで先頭の0が消えたとみられますが、0を補いません。',
};
