import { createPublicKey } from 'node:crypto';
import { dkimFinding, serviceKeyFinding, unsignedFinding } from '#domain/dns/dkim.ts';
import type { Finding } from '#domain/dns/health.ts';
import { belongsTo, type DkimKey } from '../../platform/mail/dkim.ts';
import type { MailPath } from '../../platform/mail/mail-path.ts';
import { textsOf, type Zone } from './zone.ts';

/** Returns the key that signs the mails of a domain here; null: none does. */
export const keyFor = (domain: string, path: MailPath): DkimKey | null =>
  path.kind === 'smtp' && path.dkim !== null && belongsTo(path.dkim, domain) ? path.dkim : null;

/** Checks the published DKIM key of a domain against the one that signs its mails. @throws DnsFault */
export async function checkKeys(zone: Zone, domain: string, path: MailPath): Promise<Finding> {
  if (path.kind === 'service') {
    const names = path.selectors.map((selector) => `${selector}._domainkey.${domain}`);
    const texts = await Promise.all(names.map((name) => textsOf(zone, name)));
    return serviceKeyFinding(path.name, names, texts.flat());
  }
  const key = keyFor(domain, path);
  if (key === null) return unsignedFinding(domain, path.dkim?.domain ?? null);
  return dkimFinding(publicKeyOf(key), await textsOf(zone, `${key.selector}._domainkey.${key.domain}`));
}

function publicKeyOf({ domain, selector, privateKey }: DkimKey) {
  const key = createPublicKey(privateKey);
  return {
    domain,
    selector,
    base64: key.export({ type: 'spki', format: 'der' }).toString('base64'),
    bits: key.asymmetricKeyDetails?.modulusLength ?? 0,
  };
}
