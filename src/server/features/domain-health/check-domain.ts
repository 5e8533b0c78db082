import type { Finding } from '#domain/dns/health.ts';
import { mxFinding, oneClickFinding } from '#domain/dns/health.ts';
import { isPublicHttps } from '#domain/law/refusal-place.ts';
import type { MailPath } from '../../platform/mail/mail-path.ts';
import { checkAlignment, checkDmarc, checkKeys, checkSpf, keyFor, readDmarc } from './check-authentication.ts';
import { openZone, orUnknown, type Zone } from './zone.ts';

/** What the checks depend on besides the DNS. */
export interface CheckSetup {
  readonly mailPath: MailPath;
  /** The origin of the web client. */
  readonly publicUrl: string;
  /** The resolvers to query; none: the system's. */
  readonly dnsServers: readonly string[];
}

/**
 * Checks the DNS records of a sender's domain within five seconds.
 * @returns a finding for each check; `unknown` where the DNS did not answer
 */
export async function checkDomain(domain: string, setup: CheckSetup): Promise<Finding[]> {
  const { mailPath, publicUrl, dnsServers } = setup;
  const zone = openZone(dnsServers);
  try {
    const dmarc = readDmarc(zone, domain);
    const keys = checkKeys(zone, domain, mailPath);
    const ofTheDns = await Promise.all([
      orUnknown('mx', checkMx(zone, domain)),
      orUnknown('spf', checkSpf(zone, domain, mailPath)),
      orUnknown('dkim', keys),
      orUnknown(
        'dmarc',
        dmarc.then((read) => checkDmarc(domain, read)),
      ),
      orUnknown(
        'alignment',
        Promise.all([dmarc, keys]).then(([read, key]) => checkAlignment(domain, mailPath, read, key)),
      ),
    ]);
    return [...ofTheDns, oneClickFinding(isPublicHttps(publicUrl), keyFor(domain, mailPath) !== null)];
  } finally {
    zone.close();
  }
}

async function checkMx(zone: Zone, domain: string): Promise<Finding> {
  const records = await zone.records(domain, 'MX');
  if (records.length > 0) {
    const sorted = records.toSorted((one, other) => one.priority - other.priority);
    return mxFinding(
      domain,
      sorted.map(({ exchange }) => exchange),
      true,
    );
  }
  const addresses = await Promise.all([zone.records(domain, 'A'), zone.records(domain, 'AAAA')]);
  return mxFinding(domain, null, addresses.flat().length > 0);
}
