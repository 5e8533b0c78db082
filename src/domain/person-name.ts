import { MAX_NAME_LENGTH } from './limits.ts';

/** A name of a person or a company as somebody typed it: of an account, shown on its screens and put into its mails. */

export type NameFault = 'blank' | 'too_long' | 'unusable_character';

export type ParsedName = { ok: true; name: string } | { ok: false; fault: NameFault };

/** Line ends and other controls, what turns the direction of the text around, and halves of characters. */
const UNUSABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}]/u;

/** Whether a text of one line holds a character that no mail program shows as it was typed. */
export const hasUnusableCharacter = (text: string): boolean => UNUSABLE.test(text);

/** Spaces, zero-width characters, fillers, the blank Braille cell: a name of these alone shows nothing. */
const SHOWS_NOTHING = /^[\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Takes off white space at both ends. Counts characters, not UTF-16 units: 𠮷 is one. */
export function parseName(written: string): ParsedName {
  const name = written.trim();
  if (UNUSABLE.test(name)) return { ok: false, fault: 'unusable_character' };
  if (SHOWS_NOTHING.test(name)) return { ok: false, fault: 'blank' };
  // The units bound the characters: a text of megabytes is not taken apart.
  if (name.length > 2 * MAX_NAME_LENGTH || Array.from(name).length > MAX_NAME_LENGTH)
    return { ok: false, fault: 'too_long' };
  return { ok: true, name };
}
