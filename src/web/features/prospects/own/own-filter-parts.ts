import { MAX_OWN_CONDITIONS } from '#domain/limits.ts';
import { TAG_FIELDS } from '#web/lib/address/params.ts';
import type { OwnField } from '#web/lib/data/own/own-fields.ts';
import { withNote } from '#web/lib/phrases.ts';
import type { FilterDraft } from '../filter/filter-draft.ts';
import { readTyped } from './own-draft.ts';
import { OWN_LIST_MESSAGES as messages } from './words.ts';

/** Whether the filter has as many conditions on own fields and tags as it may. */
export const isFullOfOwn = (draft: FilterDraft): boolean =>
  Object.keys(readTyped(draft.custom)).length + TAG_FIELDS.filter((field) => draft[field]).length >= MAX_OWN_CONDITIONS;

/**
 * Returns the name of an own field, and says where it is gone or not used any more.
 * @param fields those of the account; undefined: not loaded
 */
export function fieldName(fields: readonly OwnField[] | undefined, key: string): string {
  if (fields === undefined) return messages.unknown;
  return labelIn(
    fields.find((one) => one.key === key),
    messages.goneField,
    messages.archived,
  );
}

/** Returns the label of a field, option or tag, and says where it is gone or not used any more. */
export function labelIn(found: Named | undefined, gone: string, archived: string): string {
  if (found === undefined) return gone;
  return found.archived === 1 ? withNote(found.label, archived) : found.label;
}

interface Named {
  readonly label: string;
  readonly archived: 0 | 1;
}
