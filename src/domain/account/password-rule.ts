import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../limits.ts';

export type PasswordFault = 'length' | 'easy_to_guess';

/**
 * Passwords that attackers try first, and common padding. Any piece of them of three or more characters counts as
 * known.
 */
const KNOWN = [
  '01234567890',
  '09876543210',
  'abcdefghijklmnopqrstuvwxyz',
  'zyxwvutsrqponmlkjihgfedcba',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  '1q2w3e4r5t6y7u8i9o0p',
  'password',
  'passw0rd',
  'p@ssw0rd',
  'passphrase',
  'パスワード',
  'letmein',
  'iloveyou',
  'welcome',
  'administrator',
  'changeme',
  'sunshine',
  'princess',
  'football',
  'monkey',
  'dragon',
  'kaitaku',
] as const;
const SHORTEST_PIECE = 3;

/** A password needs this many different characters outside of known pieces. */
const MIN_UNKNOWN_CHARACTERS = 4;

/**
 * Checks a new password. Any character is allowed as typed; 😀 counts as one.
 * @param own the account's address and names, which an attacker can find out
 * @returns the fault, or null
 */
export function passwordFault(password: string, own: readonly string[]): PasswordFault | null {
  const { length } = [...password];
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH) return 'length';
  const known = [...KNOWN, ...own].map((text) => text.toLowerCase());
  return unknownCharacters(password.toLowerCase(), known).size < MIN_UNKNOWN_CHARACTERS ? 'easy_to_guess' : null;
}

/** Returns the characters outside of known pieces, which are matched at their greatest length. */
function unknownCharacters(password: string, known: readonly string[]): Set<string> {
  const unknown = new Set<string>();
  for (let at = 0; at < password.length; ) {
    let end = at + SHORTEST_PIECE;
    const isKnown = () => end <= password.length && known.some((text) => text.includes(password.slice(at, end)));
    while (isKnown()) end += 1;
    if (end === at + SHORTEST_PIECE) {
      unknown.add(password[at] ?? '');
      at += 1;
    } else at = end - 1;
  }
  return unknown;
}
