import { MAX_NAME_LENGTH } from './limits.ts';

/** A name of a person or a company as somebody typed it: of an account, shown on its screens and put into its mails. */

export type NameFault = 'blank' | 'too_long' | 'unusable_character';

export type ParsedName = { ok: true; name: string } | { ok: false; fault: NameFault };

/**
 * Line ends and other controls, marks that turn the direction of the text around, halves of characters, and zero-width
 * characters that join nothing. U+200C and U+200D stay: emoji and some scripts are joined by them.
 */
const UNUSABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}\u200b\u2060\ufeff]/u;

/** Whether a text of one line, such as a subject, holds a character that nobody can see or that moves the others. */
export const hasUnusableCharacter = (text: string): boolean => UNUSABLE.test(text);

/** A combining mark with nothing to combine with. */
const LONE_MARK = /(?:^|\p{Z})\p{M}/u;

/** Spaces, zero-width characters, marks, fillers, the blank Braille cell: a name of these alone shows nothing. */
const SHOWS_NOTHING = /^[\p{Z}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Takes off white space at both ends. Counts characters, not UTF-16 units: 𠮷 is one. */
export function parseName(written: string): ParsedName {
  const name = written.trim();
  if (SHOWS_NOTHING.test(name)) return { ok: false, fault: 'blank' };
  if (UNUSABLE.test(name) || LONE_MARK.test(name)) return { ok: false, fault: 'unusable_character' };
  // The units bound the characters: a text of megabytes is not taken apart.
  if (name.length > 2 * MAX_NAME_LENGTH || Array.from(name).length > MAX_NAME_LENGTH)
    return { ok: false, fault: 'too_long' };
  return { ok: true, name };
}
