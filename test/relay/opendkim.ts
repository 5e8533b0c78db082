import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface PublicKey {
  readonly domain: string;
  readonly selector: string;
  /** Base64 of the DER, as in the DNS. */
  readonly publicKey: string;
}

/**
 * Verifies the signature of a mail by Debian's OpenDKIM, as its receiver would.
 * The key comes from a file in place of the DNS.
 * @param mail as it was delivered
 * @returns OpenDKIM's result, such as `verification (s=…, d=…, 2048-bit key) succeeded`
 */
export function verifyByOpenDkim(mail: string, { domain, selector, publicKey }: PublicKey): string {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-opendkim-'));
  const [config, dns, file] = ['config', 'dns', 'mail'].map((name) => join(folder, name)) as [string, string, string];
  try {
    writeFileSync(dns, `${selector}._domainkey.${domain} v=DKIM1; k=rsa; p=${publicKey}\n`);
    writeFileSync(config, `Mode v\nTestDNSData file:${dns}\n`);
    writeFileSync(file, mail);
    return execFileSync('/bin/sh', ['-c', '/usr/sbin/opendkim -x "$1" -t "$2" 2>&1 || true', 'sh', config, file], {
      encoding: 'utf8',
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
