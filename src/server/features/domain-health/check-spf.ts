import { isIP } from 'node:net';
import { spf } from 'mailauth/lib/spf/index.js';
import type { Finding } from '#domain/dns/health.ts';
import { type SpfResult, type SpfSending, spfFinding, spfRecordsOf } from '#domain/dns/spf.ts';
import { isPublicHost } from '#domain/law/refusal-place.ts';
import type { MailPath } from '../../platform/mail/mail-path.ts';
import { DnsFault, faultsOf, textsOf, type Zone } from './zone.ts';

/** An address of TEST-NET-1 (RFC 5737): nobody sends from it, so a record that lets it pass lets everybody pass. */
const STRANGER = '192.0.2.1';

/** Checks the SPF of the return path's domain. @throws DnsFault */
export async function checkSpf(zone: Zone, from: string, path: MailPath): Promise<Finding> {
  const domain = path.kind === 'smtp' ? (path.returnDomain ?? from) : from;
  const [texts, sending] = await Promise.all([textsOf(zone, domain), sendingOf(zone, path)]);
  const records = spfRecordsOf(texts);
  if (records.length !== 1) {
    return spfFinding({ domain, records, stranger: null, isTooDeep: false, refused: [] }, sending);
  }
  const stranger = await evaluateSpf(zone, domain, STRANGER);
  const refused: string[] = [];
  for (const address of sending.addresses) {
    const { result } = await evaluateSpf(zone, domain, address);
    if (result !== 'pass') refused.push(address);
  }
  return spfFinding({ domain, records, stranger: stranger.result, isTooDeep: stranger.isTooDeep, refused }, sending);
}

/** Evaluates the record for one sending address, as a receiver does. @throws DnsFault */
export async function evaluateSpf(
  zone: Zone,
  domain: string,
  ip: string,
): Promise<{ readonly result: SpfResult; readonly isTooDeep: boolean }> {
  const faults = faultsOf(zone);
  const { status, lookups } = await spf({
    sender: `postmaster@${domain}`,
    ip,
    helo: domain,
    mta: 'kaitaku.invalid',
    resolver: faults.resolve,
    strict: true,
  });
  const [fault] = faults.codes;
  if (fault !== undefined) throw new DnsFault(fault);
  const isTooDeep = lookups !== undefined && lookups.count > lookups.limit;
  return { result: status.result as SpfResult, isTooDeep };
}

async function sendingOf(zone: Zone, path: MailPath): Promise<SpfSending> {
  if (path.kind === 'service') return { addresses: [], host: path.name, include: path.spfInclude };
  return { addresses: await publicAddressesOf(zone, path.host), host: path.host, include: null };
}

const inBrackets = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/**
 * Returns the public addresses of the SMTP server; none where it is inside, or the DNS does not answer for all of them.
 * They are no fault of the domain's records: without them the check goes on, and some alone would approve too much.
 */
async function publicAddressesOf(zone: Zone, host: string): Promise<string[]> {
  if (isIP(host) !== 0) return isPublicHost(inBrackets(host)) ? [host] : [];
  if (!isPublicHost(host)) return [];
  try {
    const found = await Promise.all((['A', 'AAAA'] as const).map((type) => zone.records(host, type)));
    return found.flat().filter((address) => isPublicHost(inBrackets(address)));
  } catch (error) {
    if (error instanceof DnsFault) return [];
    throw error;
  }
}
