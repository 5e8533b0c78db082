import { addressKey, domainOf } from '../mail/address-key.ts';

export type Provider = 'google' | 'microsoft' | 'other';

/** Who a company's provider says somebody is: the claims of a verified ID token. */
export interface Claims {
  readonly email?: unknown;
  readonly email_verified?: unknown;
  readonly preferred_username?: unknown;
  /** The tenant of Microsoft. */
  readonly tid?: unknown;
  readonly iss?: unknown;
  /** Where Microsoft's tenant knows the person from; absent: from itself. */
  readonly idp?: unknown;
  /** Of Microsoft: 1 for a guest of the tenant. */
  readonly acct?: unknown;
  /** The Workspace of Google. */
  readonly hd?: unknown;
}

export const GOOGLE_ISSUER = 'https://accounts.google.com';

/** Matches the issuer of one tenant of Microsoft: neither `common` nor `organizations`, which anybody can enter. */
const MICROSOFT_ISSUER =
  /^https:\/\/login\.microsoftonline\.com\/([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})\/v2\.0$/;

/** The tenant of all private Microsoft accounts. */
const PRIVATE_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';

/** Returns the tenant of a Microsoft issuer; null: it is not that of one company. */
export function microsoftTenant(issuer: string): string | null {
  const tenant = MICROSOFT_ISSUER.exec(issuer)?.[1];
  return tenant === undefined || tenant === PRIVATE_TENANT ? null : tenant;
}

/** Matches a plain ASCII address: other letters could be folded into somebody else's. */
const ADDRESS = /^[\x21-\x3f\x41-\x7e]+@[\da-z.-]+$/i;

/** The domains whose addresses only Google itself gives. */
const OF_GOOGLE: readonly string[] = ['gmail.com', 'googlemail.com'];

/**
 * Returns the address that the claims prove, as addressKey; null: none, or one outside of `domains`.
 * An address counts if the provider has verified it. Google also verifies private accounts with a company's address,
 * whose owner may have left: only Workspace accounts (`hd`) and Google's own domains count. Microsoft verifies no
 * address, but of one tenant's own people, not its guests, the user name is one of the tenant's own.
 */
export function provenAddress(
  { provider, issuer, domains }: { provider: Provider; issuer: string; domains: readonly string[] },
  claims: Claims,
): string | null {
  const address = provider === 'microsoft' ? claims.preferred_username : claims.email;
  if (typeof address !== 'string' || !ADDRESS.test(address)) return null;
  const domain = domainOf(address);
  if (!domains.includes(domain)) return null;
  return isProven({ provider, issuer, domain }, claims) ? addressKey(address) : null;
}

function isProven(
  { provider, issuer, domain }: { provider: Provider; issuer: string; domain: string },
  claims: Claims,
): boolean {
  if (provider === 'microsoft') return claims.tid === microsoftTenant(issuer) && !isGuest(claims);
  if (claims.email_verified !== true) return false;
  return provider === 'other' || OF_GOOGLE.includes(domain) || Boolean(claims.hd);
}

const isGuest = ({ iss, idp = iss, acct = 0 }: Claims): boolean => idp !== iss || acct !== 0;
