import { MAX_NAME_LENGTH } from '../limits.ts';
import { normalizeText } from '../text/text-filter.ts';
import { type NameFault, parseName } from './person-name.ts';

/* Names of own fields, of their options and of tags. */

export type LabelFault = NameFault | 'separator' | 'braces';

export type ParsedLabel = { ok: true; label: string } | { ok: false; fault: LabelFault };

/** Exports join tags by 、, and imports split at these. */
const SEPARATOR = /[,、]/;

/** Trims a label and checks that a file can hold it, and that no template reads it as a merge field. */
export function parseLabel(written: string): ParsedLabel {
  const parsed = parseName(written);
  if (!parsed.ok) return parsed;
  const folded = parsed.name.normalize('NFKC');
  if (SEPARATOR.test(folded)) return { ok: false, fault: 'separator' };
  if (folded.includes('{{')) return { ok: false, fault: 'braces' };
  return { ok: true, label: parsed.name };
}

/** The user's messages for faults of a label. */
export const LABEL_MESSAGES: Readonly<Record<LabelFault, string>> = {
  blank: `1〜${MAX_NAME_LENGTH}文字で入力してください`,
  too_long: `1〜${MAX_NAME_LENGTH}文字で入力してください`,
  unusable_character: '使えない文字（改行や、文字の向きを変える記号など）が含まれています',
  separator: '「、」と「,」は、区切りに使うため、名前には使えません',
  braces: '「{{」は、名前には使えません',
};

/** A field's name in templates and lists: `custom.KEY`. As the CHECK of custom_field.key. */
export const OWN_KEY = /^[a-z][a-z0-9_]{0,29}$/;

/** Keys that mean something else in templates or in lists. */
const RESERVED_KEYS = new Set(
  (
    'tags primary if unless else elsif endif case when for endfor break continue in and or contains true false nil ' +
    'null empty blank size first last constructor'
  ).split(' '),
);
export const isReservedKey = (key: string): boolean => RESERVED_KEYS.has(key);

/** The form in which names and addresses of members are compared in files. */
export const memberKey = (text: string): string => normalizeText(text).replace(/\s+/g, '');

/** The form in which tags, and options of one field, are compared. */
export const labelKey = (label: string): string => normalizeText(label).trim();
