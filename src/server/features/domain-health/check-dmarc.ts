import { dmarc } from 'mailauth/lib/dmarc/index.js';
import { getDomain } from 'tldts';
import { alignmentFinding } from '#domain/dns/alignment.ts';
import { type DmarcPolicy, dmarcFinding } from '#domain/dns/dmarc.ts';
import type { Finding } from '#domain/dns/health.ts';
import { tagsOf } from '#domain/dns/health.ts';
import type { MailPath } from '../../platform/mail/mail-path.ts';
import { keyFor } from './check-keys.ts';
import { DnsFault, faultsOf, textsOf, type Zone } from './zone.ts';

/** The DMARC of a domain. */
interface Dmarc {
  /** The records at the domain itself that look like DMARC's. */
  readonly own: readonly string[];
  /** The record that receivers apply; null: none. */
  readonly applied: (DmarcPolicy & { readonly strict: { readonly dkim: boolean; readonly spf: boolean } }) | null;
}

/** Each stronger than the one before. */
const POLICIES: readonly string[] = ['none', 'quarantine', 'reject'];

/** Reads the DMARC record of a domain, or of one above it. @throws DnsFault */
export async function readDmarc(zone: Zone, domain: string): Promise<Dmarc> {
  const faults = faultsOf(zone);
  const own = (await textsOf(zone, `_dmarc.${domain}`)).filter((text) => /^\s*v\s*=\s*dmarc1/i.test(text));
  const result = await dmarc({ headerFrom: domain, spfDomains: [], dkimDomains: [], resolver: faults.resolve });
  const [fault] = faults.codes;
  if (fault !== undefined) throw new DnsFault(fault);
  // Receivers apply none: there is no record, or none with a policy that they can read.
  if (result === false || result.rr === undefined) return { own, applied: null };
  const { rr: text, status, alignment } = result;
  const tags = tagsOf(text);
  const place = status.header?.d ?? domain;
  const applied = {
    domain: place,
    ...policyOf(tags, place !== domain, result.policy),
    hasReports: (tags.get('rua') ?? '') !== '',
    text,
    strict: { dkim: alignment.dkim.strict, spf: alignment.spf.strict },
  };
  return { own, applied };
}

/**
 * Finds the tag whose policy receivers apply (RFC 9989, 4.10.1). Of a record above the domain it is sp=, else p=; np=
 * where the domain does not exist. t=y weakens it by a step.
 * @param policy what receivers apply in the end
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
  // Receivers take a record with a policy that does not exist for p=none, whichever of the three it is.
  const isValid =
    POLICIES.includes(published('p') ?? '') &&
    ['sp', 'np'].every((name) => !tags.has(name) || POLICIES.includes(published(name) ?? ''));
  if (!isValid || policy === undefined) return { policy: null, tag: '' };
  const ofExisting = isAbove && tags.has('sp') ? 'sp' : 'p';
  const name = isAbove && tags.has('np') && appliedOf(ofExisting) !== policy ? 'np' : ofExisting;
  return { policy, tag: `${name}=${published(name)}${isTest ? '（t=y）' : ''}` };
}

export const checkDmarc = (domain: string, { own, applied }: Dmarc): Finding => dmarcFinding(domain, own, applied);

/** Checks whether what authenticates the mails is of the organisation that their sender's address names. */
export function checkAlignment(domain: string, path: MailPath, { applied }: Dmarc, keys: Finding): Finding {
  const facts = {
    domain,
    signedDomain: keyFor(domain, path)?.domain ?? null,
    returnDomain: path.kind === 'smtp' ? (path.returnDomain ?? domain) : null,
    hasServiceKey: path.kind === 'service' && keys.level === 'good',
    strict: applied?.strict ?? { dkim: false, spf: false },
  };
  return alignmentFinding(facts, (name) => getDomain(name, { allowPrivateDomains: true }));
}
