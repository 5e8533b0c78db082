import { meansBlank } from '#domain/text/blank-text.ts';
import { cleanCell } from '../../../cells/cell-text.ts';

/** Joins an address that is spread over several columns. */

export type AddressPart = 'prefecture' | 'city' | 'address' | 'rest' | 'building';

/** The names that Salesforce and Zoho give to the parts of an account's address. */
const ofBilling = (part: string): string[] => [`${part}(請求先)`, `請求先${part}`, `請求先-${part}`, `請求先(${part})`];

/** The headings of each part, in the order in which the parts are joined. `住所` and its other names are `address`. */
export const ADDRESS_HEADINGS: Readonly<Record<AddressPart, readonly string[]>> = {
  prefecture: ['都道府県', '都道府県名', '県名', '住所都道府県', ...ofBilling('都道府県'), '都道府県/地域'],
  city: [
    '市区町村',
    '市区町村名',
    '市区郡',
    '市町村',
    '市町村名',
    '住所市区町村',
    ...ofBilling('市区郡'),
    ...ofBilling('市区町村'),
  ],
  address: ['住所1', '住所_1', '住所①', '所在地1'],
  rest: '町名 町域 町名番地 町域番地 番地 番地等 丁目番地 丁目番地等 以降の住所 住所番地 住所2 住所_2 住所② 所在地2 住所3 住所_3 住所③ 所在地3 町名・番地'
    .split(' ')
    .concat(ofBilling('町名・番地'), ofBilling('番地')),
  building: ['建物名', '建物', 'ビル名', '建物名等', '建物名・部屋番号', '建物名/部屋番号', '住所建物名'],
};

export interface AddressCell {
  part: AddressPart;
  text: string;
}

/** Two adjoining numbers would read as one: `1-2-3` and `5F`. */
const runsTogether = (left: string, right: string): boolean =>
  /[\p{Nd}a-z]$/iu.test(left) && /^[\p{Nd}a-z]/iu.test(right);

/**
 * Joins the cells of an address, in the file's order within each part.
 * Skips a prefecture or city that the address repeats: `東京都` and `東京都港区…`, `港区` and `港区…`.
 */
export function joinAddress(cells: readonly AddressCell[]): string {
  const parts = Object.keys(ADDRESS_HEADINGS) as AddressPart[];
  const filled = cells
    .map(({ part, text }) => ({ part, text: cleanCell(text) ?? text }))
    .filter(({ text }) => !meansBlank(text))
    .toSorted((a, b) => parts.indexOf(a.part) - parts.indexOf(b.part));
  const textOf = (wanted: AddressPart) => filled.find(({ part }) => part === wanted)?.text ?? '';
  const [prefecture, city, address] = [textOf('prefecture'), textOf('city'), textOf('address')];
  const isRepeated: Partial<Record<AddressPart, boolean>> = {
    prefecture: prefecture !== '' && (address.startsWith(prefecture) || city.startsWith(prefecture)),
    city: city !== '' && (address.startsWith(city) || address.startsWith(prefecture + city)),
  };
  let joined = '';
  for (const { part, text } of filled) {
    if (isRepeated[part]) continue;
    const needsSpace = joined !== '' && (part === 'building' || runsTogether(joined, text));
    joined += needsSpace ? ` ${text}` : text;
  }
  return joined;
}
