import type { MERGE_FIELDS } from '#domain/mail/merge-fields.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

export type MergeField = (typeof MERGE_FIELDS)[number];

const names: Partial<Readonly<Record<string, string>>> = {
  ...COMMON_MESSAGES.mergeFields,
  ...TEMPLATE_MESSAGES.fieldNames,
};

/** Returns the name of a field, if it has one. The lines of the dates have none: they are another form of a field. */
export const mergeFieldName = (field: string): string | undefined => names[field];

/** Returns the words on the chip of an output or a tag: the name of its field, or what is between its braces. */
export function chipLabel(source: string): string {
  const field = /^\{\{-?\s*([\w.]+)\s*(?:\|\s*default:[^|]*)?-?\}\}$/.exec(source)?.[1] ?? '';
  return mergeFieldName(field) ?? source;
}
