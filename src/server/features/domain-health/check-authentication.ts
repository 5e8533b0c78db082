import { createPublicKey } from 'node:crypto';
import { isIP } from 'node:net';
import { dmarc } from 'mailauth/lib/dmarc/index.js';
import { spf } from 'mailauth/lib/spf/index.js';
import { getDomain } from 'tldts';
import { dkimFinding, mailboxKeyFinding, serviceKeyFinding, unsignedFinding } from '#domain/dns/dkim.ts';
import { alignmentFinding, type DmarcPolicy, dmarcFinding } from '#domain/dns/dmarc.ts';
import { type Finding, tagsOf } from '#domain/dns/health.ts';
import { type SpfResult, type SpfSending, spfFinding, spfRecordsOf } from '#domain/dns/spf.ts';
import { isPublicHost } from '#domain/law/refusal-place.ts';
import { belongsTo, type DkimKey } from '../../platform/mail/dkim.ts';
import type { MailPath } from '../../platform/mail/mail-path.ts';
import { isPublicAddress } from './received.ts';
import { DnsFault, textsOf, throughLibrary, type Zone } from './zone.ts';

/** A way on which mails of members' mailboxes leave: by their provider, which signs them. */
export interface MailboxPath {
  readonly kind: 'mailbox';
  readonly name: string;
  /** The include that the provider requires in its customers' SPF; null: unknown. */
  readonly spfInclude: string | null;
  /** The selectors of its keys for its customers; none: unknown. */
  readonly selectors: readonly string[];
}

export type CheckedPath = MailPath | MailboxPath;

/** Returns the key that signs a domain's mails here; null: none does. */
export const keyFor = (domain: string, path: CheckedPath): DkimKey | null =>
  path.kind === 'smtp' && path.dkim !== null && belongsTo(path.dkim, domain) ? path.dkim : null;

/** Checks the published DKIM key of a domain against the one that signs its mails. @throws DnsFault */
export async function checkKeys(zone: Zone, domain: string, path: CheckedPath): Promise<Finding> {
  if (path.kind === 'mailbox' && path.selectors.length === 0) return mailboxKeyFinding();
  if (path.kind !== 'smtp') {
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

/** An address of TEST-NET-1 (RFC 5737), which sends no mail: a record that passes it passes every sender. */
const STRANGER = '192.0.2.1';

/** Checks the SPF of the return path's domain. @throws DnsFault */
export async function checkSpf(zone: Zone, from: string, path: CheckedPath): Promise<Finding> {
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

/** Evaluates the SPF record for one sending address, as a receiver does. @throws DnsFault */
export async function evaluateSpf(
  zone: Zone,
  domain: string,
  ip: string,
): Promise<{ readonly result: SpfResult; readonly isTooDeep: boolean }> {
  const sender = `postmaster@${domain}`;
  const { status, lookups } = await throughLibrary(zone, (resolver) =>
    spf({ sender, ip, helo: domain, mta: 'kaitaku.invalid', resolver, strict: true }),
  );
  const isTooDeep = lookups !== undefined && lookups.count > lookups.limit;
  return { result: status.result as SpfResult, isTooDeep };
}

async function sendingOf(zone: Zone, path: CheckedPath): Promise<SpfSending> {
  if (path.kind !== 'smtp') {
    return { addresses: [], host: path.name, include: path.spfInclude, isMailbox: path.kind === 'mailbox' };
  }
  return { addresses: await publicAddressesOf(zone, path.host), host: path.host, include: null };
}

/**
 * Returns the public addresses of the SMTP server; none if it is inside, or if a DNS query for them fails. Such a
 * failure is no fault of the domain's records, so the check continues. A part of the addresses would approve too much.
 */
async function publicAddressesOf(zone: Zone, host: string): Promise<string[]> {
  if (isIP(host) !== 0) return isPublicAddress(host) ? [host] : [];
  if (!isPublicHost(host)) return [];
  try {
    const found = await Promise.all((['A', 'AAAA'] as const).map((type) => zone.records(host, type)));
    return found.flat().filter((address) => isPublicAddress(address));
  } catch (error) {
    if (error instanceof DnsFault) return [];
    throw error;
  }
}

/** The DMARC of a domain. */
interface Dmarc {
  /** The TXT records at the domain itself that look like DMARC records. */
  readonly own: readonly string[];
  /** The record that receivers apply; null: none. */
  readonly applied: (DmarcPolicy & { readonly strict: { readonly dkim: boolean; readonly spf: boolean } }) | null;
}

/** Reads the DMARC record of a domain, or of one above it. @throws DnsFault */
export async function readDmarc(zone: Zone, domain: string): Promise<Dmarc> {
  const own = (await textsOf(zone, `_dmarc.${domain}`)).filter((text) => /^\s*v\s*=\s*dmarc1/i.test(text));
  const result = await throughLibrary(zone, (resolver) =>
    dmarc({ headerFrom: domain, spfDomains: [], dkimDomains: [], resolver }),
  );
  // Receivers apply no policy: no record exists, or none with a readable policy.
  if (result === false || result.rr === undefined) return { own, applied: null };
  const { rr: text, status, alignment } = result;
  const tags = tagsOf(text);
  const place = status.header?.d ?? domain;
  const applied = {
    domain: place,
    ...policyOf(tags, place !== domain, result.policy),
    reportsTo: tags.get('rua') ?? '',
    text,
    strict: { dkim: alignment.dkim.strict, spf: alignment.spf.strict },
  };
  return { own, applied };
}

/** From the weakest to the strongest. */
const POLICIES: readonly string[] = ['none', 'quarantine', 'reject'];

/**
 * Finds the tag whose policy receivers apply (RFC 9989, 4.10.1). In a record above the domain it is sp=, otherwise p=;
 * np= where the domain does not exist. t=y weakens the policy by a step.
 * @param policy what receivers finally apply
 */
function policyOf(
  tags: ReadonlyMap<string, string>,
  isAbove: boolean,
  policy: string | undefined,
): Pick<DmarcPolicy, 'policy' | 'tag'> {
  const published = (name: string) => tags.get(name)?.toLowerCase();
  const isTest = published('t') === 'y';
  const appliedOf = (name: string) => {
    const at = POLICIES.indexOf(published(name) ?? '');
    return POLICIES[isTest ? Math.max(at - 1, 0) : at];
  };
  // Receivers read any of the three tags with an invalid policy as p=none.
  const isValid =
    POLICIES.includes(published('p') ?? '') &&
    ['sp', 'np'].every((name) => !tags.has(name) || POLICIES.includes(published(name) ?? ''));
  if (!isValid || policy === undefined) return { policy: null, tag: '' };
  const ofExisting = isAbove && tags.has('sp') ? 'sp' : 'p';
  const name = isAbove && tags.has('np') && appliedOf(ofExisting) !== policy ? 'np' : ofExisting;
  return { policy, tag: `${name}=${published(name)}${isTest ? '（t=y）' : ''}` };
}

export const checkDmarc = (domain: string, { own, applied }: Dmarc): Finding => dmarcFinding(domain, own, applied);

/** The envelope sender of a mailbox is its address. @returns null: a service has its own */
function returnDomainOf(domain: string, path: CheckedPath): string | null {
  if (path.kind === 'service') return null;
  return path.kind === 'smtp' ? (path.returnDomain ?? domain) : domain;
}

/** Checks whether the authenticated domains belong to the organisation of the sender's address. */
export function checkAlignment(domain: string, path: CheckedPath, { applied }: Dmarc, keys: Finding): Finding {
  const facts = {
    domain,
    signedDomain: keyFor(domain, path)?.domain ?? null,
    returnDomain: returnDomainOf(domain, path),
    hasServiceKey: path.kind !== 'smtp' && keys.level === 'good',
    strict: applied?.strict ?? { dkim: false, spf: false },
  };
  return alignmentFinding(facts, (name) => getDomain(name, { allowPrivateDomains: true }));
}
