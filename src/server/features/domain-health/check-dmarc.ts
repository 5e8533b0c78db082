import { dmarc } from 'mailauth/lib/dmarc/index.js';
import { getDomain } from 'tldts';
import type { Finding } from '#domain/domain-health.ts';
import { tagsOf } from '#domain/domain-health.ts';
import { alignmentFinding } from '#domain/domain-health-alignment.ts';
import { type DmarcPolicy, dmarcFinding } from '#domain/domain-health-dmarc.ts';
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
  const policy = tags.get('p')?.toLowerCase() ?? '';
  const applied = {
    domain: status.header?.d ?? domain,
    policy: POLICIES.includes(policy) ? policy : null,
    hasReports: (tags.get('rua') ?? '') !== '',
    text,
    strict: { dkim: alignment.dkim.strict, spf: alignment.spf.strict },
  };
  return { own, applied };
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
