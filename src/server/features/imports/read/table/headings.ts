import { foldHeading } from '#domain/text/fold-heading.ts';
import type { Refusal } from '../../../../platform/problem.ts';
import { ADDRESS_HEADINGS, type AddressPart } from '../cells/address-parts.ts';
import { unknownField } from '../faults.ts';
import { type Column, FILE_COLUMNS, type FileField } from './columns.ts';

/** The columns by their folded headings. */
const BY_HEADING = new Map<string, Column>(
  FILE_COLUMNS.flatMap((column) =>
    [column.field, column.label, ...column.also].map((heading) => [foldHeading(heading), column] as const),
  ),
);

/** The parts of an address by their folded headings. */
export const PART_BY_HEADING = new Map<string, AddressPart>(
  Object.entries(ADDRESS_HEADINGS).flatMap(([part, headings]) =>
    headings.map((heading) => [foldHeading(heading), part as AddressPart] as const),
  ),
);
/** Headings of gBizINFO, and common ones, of the day on which a company was closed. */
export const CLOSED_HEADINGS = new Set(['登記記録の閉鎖等年月日', '閉鎖年月日', '廃業日']);

/** A folded heading of a country or a country code (国, 本社所在国, 国番号, billingcountry), but not 全国 or 中国. */
const COUNTRY_HEADING = /(?<![全中四外])国(?:名|籍|番号|コード)?\)?$|^国[/・(]|country/;
export const isCountryHeading = (folded: string): boolean => COUNTRY_HEADING.test(folded);

/**
 * A heading with a unit: `売上高(百万円)`, `売上高[単位:百万円]`, `売上高_百万円`. A unit is short: without a bound each
 * bracket of a long heading would be compared with all of the rest.
 */
const WITH_UNIT = /^(.+?)(?:[([【〔](?:単位[:=]?)?([^)\]】〕]{1,20})[)\]】〕]|_([^_]{1,20}))$/;

const UNITS: Partial<Record<Column['kind'], readonly string[]>> = {
  money: ['円', '千円', '万円', '百万円', '千万円', '億円', '十億円'],
  count: ['人', '名'],
  year: ['年', '西暦'],
};

/** Splits a folded heading into name and unit; '' if it has none. */
export function splitUnit(folded: string): { name: string; unit: string } {
  const [, name = folded, bracketed, suffixed] = WITH_UNIT.exec(folded) ?? [];
  return { name, unit: bracketed ?? suffixed ?? '' };
}

export const isUnitOf = (column: Column, unit: string): boolean => UNITS[column.kind]?.includes(unit) === true;

/** Matches a heading with a column and a unit. @returns null if no column matches */
export function matchHeading(heading: string): { column: Column; unit: string } | null {
  const folded = foldHeading(heading);
  const whole = BY_HEADING.get(folded);
  if (whole !== undefined) return { column: whole, unit: '' };
  const { name, unit } = splitUnit(folded);
  const column = BY_HEADING.get(name);
  if (column === undefined || !isUnitOf(column, unit)) return null;
  return { column, unit: column.kind === 'money' ? unit : '' };
}

/** The headings that a user chose for each field. Only an address can have several, which are joined. */
export type Mapping = ReadonlyMap<FileField, readonly string[]>;
export const NO_MAPPING: Mapping = new Map();

/**
 * Reads a mapping of the form `会社名=企業名`: the field, then the file's heading.
 * @returns a Problem for an unknown field
 */
export function parseMapping(pairs: readonly string[]): Mapping | Refusal {
  const mapping = new Map<FileField, string[]>();
  for (const pair of pairs) {
    const [name = '', ...heading] = pair.split('=');
    const column = BY_HEADING.get(foldHeading(name));
    if (column === undefined) return unknownField(name);
    mapping.set(column.field, [...(mapping.get(column.field) ?? []), heading.join('=')]);
  }
  return mapping;
}
