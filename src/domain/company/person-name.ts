import { MAX_NAME_LENGTH } from '../limits.ts';

/**
 * Checks names of persons and companies that a user typed. An account's names appear on its screens and in its mails.
 */

export type NameFault = 'blank' | 'too_long' | 'unusable_character';

export type ParsedName = { ok: true; name: string } | { ok: false; fault: NameFault };

/**
 * Line ends and other controls, direction marks, halves of characters, and zero-width characters that join nothing.
 * U+200C and U+200D stay: emoji and some scripts are joined by them.
 */
const UNUSABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}\u200b\u2060\ufeff]/u;

/** Returns whether a text of one line, such as a subject, holds an invisible or reordering character. */
export const hasUnusableCharacter = (text: string): boolean => UNUSABLE.test(text);

/** Matches a combining mark that has no base character. */
const LONE_MARK = /(?:^|\p{Z})\p{M}/u;

/** Matches a text that displays nothing: spaces, zero-width characters, marks, fillers, the blank Braille cell. */
const SHOWS_NOTHING = /^[\p{Z}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Trims white space and checks the length in characters, not UTF-16 units: 𠮷 is one. */
export function parseName(written: string): ParsedName {
  const name = written.trim();
  if (SHOWS_NOTHING.test(name)) return { ok: false, fault: 'blank' };
  if (UNUSABLE.test(name) || LONE_MARK.test(name)) return { ok: false, fault: 'unusable_character' };
  // A character has at most two units, so this part decides, and megabytes of text are never split.
  const characters = Array.from(name.slice(0, 2 * MAX_NAME_LENGTH + 1));
  if (characters.length > MAX_NAME_LENGTH) return { ok: false, fault: 'too_long' };
  return { ok: true, name };
}
