import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type PasswordFault, passwordFault } from '#domain/account/password-rule.ts';
import { PACKAGE } from '../../platform/package.ts';

/** Digests of common passwords that passwordFault lets pass, as scripts/common-passwords.ts writes them. */
let common: ReadonlySet<string> | undefined;

const DIGEST_LENGTH = 8;

function isCommon(password: string): boolean {
  common ??= new Set(readFileSync(PACKAGE.commonPasswords, 'utf8').split('\n'));
  return common.has(hash('sha256', password.toLowerCase(), 'base64url').slice(0, DIGEST_LENGTH));
}

/**
 * Checks a new password on the server: as the browser does, and against the most common ones.
 * @param own the account's address and names, which an attacker can find out
 */
export const newPasswordFault = (password: string, own: readonly string[]): PasswordFault | null =>
  passwordFault(password, own) ?? (isCommon(password) ? 'easy_to_guess' : null);
