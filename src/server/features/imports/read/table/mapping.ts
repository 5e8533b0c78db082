import type { Problem } from '../../../../platform/problem.ts';
import { unknownField } from '../faults.ts';
import type { FileField } from './columns.ts';
import { BY_HEADING, foldHeading } from './headings.ts';

/** The headings that a user chose for a field, by field. Several are joined; only an address can have several. */
export type Mapping = ReadonlyMap<FileField, readonly string[]>;
export const NO_MAPPING: Mapping = new Map();

/**
 * Reads a mapping of the form `会社名=企業名`: the field, then the file's heading.
 * @returns a Problem where there is no such field
 */
export function parseMapping(pairs: readonly string[]): Mapping | Problem {
  const mapping = new Map<FileField, string[]>();
  for (const pair of pairs) {
    const [name = '', ...heading] = pair.split('=');
    const column = BY_HEADING.get(foldHeading(name));
    if (column === undefined) return unknownField(name);
    mapping.set(column.field, [...(mapping.get(column.field) ?? []), heading.join('=')]);
  }
  return mapping;
}
