import { addressKey, domainOf } from '../../mail/address-key.ts';

/** Limits the mails of one run to the companies of one domain, in list order. */

/** A domain shared by this many companies of the account is a provider's, and is not limited. */
export const SHARED_DOMAIN_COMPANIES = 50;

/** Domains of free mail and of Japanese providers, where each address is another company's. */
export const PROVIDER_DOMAINS: readonly string[] =
  `gmail.com googlemail.com yahoo.co.jp yahoo.com yahoo.ne.jp ymail.ne.jp ybb.ne.jp outlook.com outlook.jp
  hotmail.com hotmail.co.jp live.com live.jp msn.com icloud.com me.com mac.com aol.com aol.jp proton.me
  protonmail.com gmx.com excite.co.jp docomo.ne.jp ezweb.ne.jp au.com softbank.ne.jp i.softbank.jp ymobile.ne.jp
  rakuten.jp nifty.com ocn.ne.jp ocn.jp biglobe.ne.jp so-net.ne.jp so-net.jp plala.or.jp dion.ne.jp auone-net.jp
  asahi-net.or.jp hi-ho.ne.jp infoseek.jp goo.jp mail.goo.ne.jp nttpc.ne.jp eonet.ne.jp zaq.ne.jp jcom.home.ne.jp
  jcom.zaq.ne.jp commufa.jp iijmio-mail.jp mineo.jp wakwak.com tiki.ne.jp pikara.ne.jp mopera.net tcp-ip.or.jp
  dti.ne.jp`.split(/\s+/);
const PROVIDERS: ReadonlySet<string> = new Set(PROVIDER_DOMAINS);

/** Returns whether each address of a domain, or of one above it, is another company's (mint.ocn.ne.jp). */
export function isProviderDomain(domain: string): boolean {
  const labels = domain.split('.');
  return labels.some((_, above) => PROVIDERS.has(labels.slice(above).join('.')));
}

export interface DomainLimit {
  /** 0: no limit. */
  readonly perDomain: number;
  /** Domains shared by SHARED_DOMAIN_COMPANIES companies of the account. */
  readonly shared: ReadonlySet<string>;
}

export const NO_DOMAIN_LIMIT: DomainLimit = { perDomain: 0, shared: new Set() };

/**
 * Makes a function that judges the addresses of one run, called in list order.
 * @returns why an address gets no mail beside earlier ones; null: it gets one
 */
export function listJudge({ perDomain, shared }: DomainLimit): (email: string) => 'duplicate' | 'domain_limit' | null {
  const addresses = new Set<string>();
  const mails = new Map<string, number>();
  return (email) => {
    const address = addressKey(email);
    if (addresses.has(address)) return 'duplicate';
    const domain = domainOf(address);
    const before = mails.get(domain) ?? 0;
    const isLimited = perDomain > 0 && before >= perDomain;
    if (isLimited && !shared.has(domain) && !isProviderDomain(domain)) return 'domain_limit';
    addresses.add(address);
    mails.set(domain, before + 1);
    return null;
  };
}

/** Returns the domains of a list that its limit may affect, because more of its companies have them. */
export function crowdedDomains(emails: readonly string[], perDomain: number): string[] {
  if (perDomain === 0) return [];
  const found = Map.groupBy(emails, domainOf);
  return [...found.keys()].filter(
    (domain) => (found.get(domain)?.length ?? 0) > perDomain && !isProviderDomain(domain),
  );
}

/** Returns the ids of a list's targets over its limit, for the client. */
export function overDomainLimit(
  targets: readonly { readonly prospect_id: number; readonly company_email: string }[],
  limit: DomainLimit,
): ReadonlySet<number> {
  const judge = listJudge(limit);
  const over = targets.filter(({ company_email }) => judge(company_email) === 'domain_limit');
  return new Set(over.map(({ prospect_id }) => prospect_id));
}
