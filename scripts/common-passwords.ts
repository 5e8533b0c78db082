// node scripts/common-passwords.ts LIST: writes the common passwords that the server refuses (decisions/passwords).
// LIST has one password a line, the most common first.
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { passwordFault } from '../src/domain/account/password-rule.ts';
import { PACKAGE } from '../src/server/platform/package.ts';

const PASSWORDS = 10_000;
/** Characters of base64url, six bits each: of 10,000 passwords, one of 28,000,000,000 others is refused with them. */
const DIGEST_LENGTH = 8;

const [list = ''] = process.argv.slice(2);
const kept = new Set<string>();
for (const line of readFileSync(list, 'utf8').split(/\r?\n/)) {
  const password = line.toLowerCase();
  if (kept.size < PASSWORDS && /^[\x21-\x7e]+$/.test(password) && passwordFault(password, []) === null)
    kept.add(password);
}
const digests = [...kept].map((password) => hash('sha256', password, 'base64url').slice(0, DIGEST_LENGTH));
writeFileSync(PACKAGE.commonPasswords, `${digests.toSorted().join('\n')}\n`);
