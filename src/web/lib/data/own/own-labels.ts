import { useQuery } from '@tanstack/react-query';
import { ownFieldList } from './own-fields.ts';

/** The labels of the account's own fields, by their names in templates (`custom.rank`). */
export type OwnLabels = ReadonlyMap<string, string>;

/** Whether a merge field is an own field of companies. */
export const isOwnField = (field: string): boolean => field.startsWith('custom.');

const NONE: OwnLabels = new Map();

/** Returns the labels of own fields; undefined: loading. They are requested only where a merge field is own. */
export function useOwnLabels(fields: readonly string[]): OwnLabels | undefined {
  const isNeeded = fields.some(isOwnField);
  const { data, isLoading } = useQuery({ ...ownFieldList, enabled: isNeeded });
  if (data === undefined) return isLoading ? undefined : NONE;
  return new Map(data.map(({ key, label }) => [`custom.${key}`, label]));
}
