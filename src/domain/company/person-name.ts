import { MAX_NAME_LENGTH } from '../limits.ts';

/** Checks typed names of persons and companies. An account's names appear on screens and in mails. */

export type NameFault = 'blank' | 'too_long' | 'unusable_character';

export type ParsedName = { ok: true; name: string } | { ok: false; fault: NameFault };

/**
 * Line breaks and other controls, direction marks, lone surrogates, and zero-width characters that join nothing. U+200C
 * and U+200D are allowed, because emoji and some scripts need them.
 */
const UNUSABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}\u200b\u2060\ufeff]/u;

/** Returns whether a one-line text, such as a subject, holds an invisible or reordering character. */
export const hasUnusableCharacter = (text: string): boolean => UNUSABLE.test(text);

/** Matches a combining mark that has no base character. */
const LONE_MARK = /(?:^|\p{Z})\p{M}/u;

/**
 * Matches a text without a visible character: spaces, zero-width characters, marks, fillers, the blank Braille cell.
 */
const SHOWS_NOTHING = /^[\p{Z}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Trims white space and checks the length in characters, not UTF-16 units: 𠮷 is one. */
export function parseName(written: string): ParsedName {
  const name = written.trim();
  if (SHOWS_NOTHING.test(name)) return { ok: false, fault: 'blank' };
  if (UNUSABLE.test(name) || LONE_MARK.test(name)) return { ok: false, fault: 'unusable_character' };
  // A character has at most two units, so this slice suffices, and megabytes of text are never split.
  const characters = Array.from(name.slice(0, 2 * MAX_NAME_LENGTH + 1));
  if (characters.length > MAX_NAME_LENGTH) return { ok: false, fault: 'too_long' };
  return { ok: true, name };
}
