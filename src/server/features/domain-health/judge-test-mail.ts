import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { dmarc } from 'mailauth/lib/dmarc/index.js';
import type { SpfResult } from '#domain/dns/spf.ts';
import {
  type DmarcResult,
  type Hop,
  type MailSignature,
  mailDkimFinding,
  mailDmarcFinding,
  mailSpfFinding,
  ptrFinding,
  type ReverseNames,
  type TestFinding,
} from '#domain/dns/test-mail.ts';
import { domainOf } from '#domain/mail/address-key.ts';
import { evaluateSpf } from './check-authentication.ts';
import { outsideHop, reverseName } from './received.ts';
import { DnsFault, faultsOf, openZone, orUnknown, throughLibrary, type Zone } from './zone.ts';

interface TestMail {
  readonly source: Uint8Array;
  /** The domain of the sender's address. */
  readonly domain: string;
}

/**
 * Judges a test mail by its own header, as its receiver does: SPF, DKIM, DMARC and the server's reverse name.
 * @param dnsServers the resolvers to query; none: the system's
 */
export async function judgeTestMail(
  { source, domain }: TestMail,
  dnsServers: readonly string[],
): Promise<TestFinding[]> {
  const zone = openZone(dnsServers);
  try {
    const { hop, returnDomain, found, fault } = await readTestMail(zone, source);
    const signatures = fault === null ? Promise.resolve(found) : Promise.reject(new DnsFault(fault));
    // The mail may have lost its return path in transit: receivers then judge the author's domain.
    const spfDomain = returnDomain ?? domain;
    const spf = hop === null ? Promise.resolve(null) : resultOfSpf(zone, spfDomain, hop);
    const isPassed = async () => (await spf) === 'pass';
    return await Promise.all([
      orUnknown(
        'mail_spf',
        spf.then((result) => mailSpfFinding(hop, spfDomain, result)),
      ),
      orUnknown('mail_dkim', signatures.then(mailDkimFinding)),
      orUnknown(
        'mail_dmarc',
        Promise.all([isPassed(), signatures])
          .then(([isSpfPassed, signed]) => resultOfDmarc(zone, domain, isSpfPassed ? [spfDomain] : [], signed))
          .then((result) => mailDmarcFinding(result, hop === null)),
      ),
      orUnknown(
        'ptr',
        (hop === null ? Promise.resolve(null) : readReverse(zone, hop)).then((reverse) => ptrFinding(hop, reverse)),
      ),
    ]);
  } finally {
    zone.close();
  }
}

interface ReadMail {
  readonly hop: Hop | null;
  /** The domain of its Return-Path; null: it has none. */
  readonly returnDomain: string | null;
  readonly found: readonly MailSignature[];
  /** The DNS error code, if the keys of the signatures could not be read. */
  readonly fault: string | null;
}

async function readTestMail(zone: Zone, source: Uint8Array): Promise<ReadMail> {
  const faults = faultsOf(zone);
  const { results, headers } = await dkimVerify(Buffer.from(source), { resolver: faults.resolve, strict: true });
  const valuesOf = (name: string): string[] =>
    (headers?.parsed ?? []).flatMap(({ key, line }) => (key === name ? [fieldValue(line)] : []));
  const returnPath = /<([^<>@\s]+@[^<>\s]+)>/.exec(valuesOf('return-path')[0] ?? '')?.[1];
  return {
    hop: outsideHop(valuesOf('received')),
    returnDomain: returnPath === undefined ? null : domainOf(returnPath),
    // A mail without signatures has one result, `none`, without a domain.
    found: results.flatMap(({ signingDomain, status: { result, aligned } }) =>
      signingDomain === undefined ? [] : [{ domain: signingDomain, result, isAligned: Boolean(aligned) }],
    ),
    fault: faults.codes[0] ?? null,
  };
}

const fieldValue = (line: Buffer): string => {
  const text = line.toString('latin1');
  return text.slice(text.indexOf(':') + 1).trim();
};

const resultOfSpf = async (zone: Zone, domain: string, { address }: Hop): Promise<SpfResult> =>
  (await evaluateSpf(zone, domain, address)).result;

/** @throws DnsFault */
async function resultOfDmarc(
  zone: Zone,
  headerFrom: string,
  spfDomains: string[],
  signatures: readonly MailSignature[],
): Promise<DmarcResult> {
  const dkimDomains = signatures.flatMap(({ domain, result }) => (result === 'pass' ? [{ domain }] : []));
  const judged = await throughLibrary(zone, (resolver) => dmarc({ headerFrom, spfDomains, dkimDomains, resolver }));
  const result = judged === false ? 'none' : judged.status.result;
  return result === 'pass' || result === 'none' ? result : 'fail';
}

/** Caps the reverse names that are read: a name may have many, servers have one. */
const NAMES_MAX = 5;

/** @throws DnsFault */
async function readReverse(zone: Zone, { address }: Hop): Promise<ReverseNames> {
  const names = (await zone.records(reverseName(address), 'PTR')).slice(0, NAMES_MAX);
  const type = address.includes(':') ? 'AAAA' : 'A';
  const addresses = await Promise.all(names.map((name) => zone.records(name, type)));
  // Compared as reverse names, because an IPv6 address has several spellings.
  const leadsBack = addresses.flat().some((one) => reverseName(one) === reverseName(address));
  return { names, leadsBack };
}
