/** Where the recipient of a mail can opt out: a page of the program, or an address of the sender. */
export type RefusalPlace =
  | { readonly url: string }
  | {
      readonly email: string;
      /** The key in the subject of mails to it, if the program reads that mailbox; absent: persons read it. */
      readonly mailKey?: string;
      /** The program also reads the mailbox that answers to the mail reach. */
      readonly takesAnswers?: true;
    };

/** The key in links of mails that are never sent, such as previews. */
export const EXAMPLE_MAIL_KEY = '0'.repeat(32);

interface Parts {
  /** The origin of the web client, without a trailing slash; null: unknown. */
  readonly publicUrl: string | null;
  /** The profile's address for opt-outs; '' or null: none. */
  readonly refusalEmail: string | null;
  /** `delivery.mail_key`, with or without hyphens. */
  readonly mailKey: string;
  /** The program reads the mailbox of that address. */
  readonly isRead?: boolean;
  readonly takesAnswers?: boolean;
}

/**
 * Returns the opt-out place of one mail: its own link, if the program is publicly reachable by https, otherwise the
 * profile's address.
 * @returns null if there is neither: such a mail may not be sent
 */
export function refusalPlace({
  publicUrl,
  refusalEmail,
  mailKey,
  isRead = false,
  takesAnswers = false,
}: Parts): RefusalPlace | null {
  const key = mailKey.replaceAll('-', '');
  if (isPublicHttps(publicUrl)) return { url: `${publicUrl}/u/${key}` };
  if (!refusalEmail) return null;
  return { email: refusalEmail, ...(isRead && { mailKey: key }), ...(takesAnswers && { takesAnswers }) };
}

/** Returns the link that writes a mail to an address (RFC 6068). @param key of the mail that its subject refuses */
export function refusalMailto(address: string, key?: string): string {
  const written = encodeURIComponent(address).replaceAll('%40', '@');
  return `mailto:${written}?subject=unsubscribe${key === undefined ? '' : `%20${key}`}`;
}

const ORIGIN = /^https:\/\/(\[[0-9a-f:.]+\]|[^/:?#@[\]\s]+)(?::\d{1,5})?$/i;

/** Names that no public DNS resolves (RFC 2606, 6761, 6762, 8375), and names common inside offices. */
const PRIVATE_NAME =
  /^[^.]+$|\.(?:local|localhost|localdomain|internal|intranet|lan|home|corp|test|invalid|example|home\.arpa)$/i;

/** Loopback, private, shared, link-local, unspecified, documentation, multicast and reserved IPv4 (RFC 6890). */
const PRIVATE_IPV4 = [
  /^(?:0|10|127|169\.254|192\.168|192\.0\.[02]|198\.51\.100|203\.0\.113)\./,
  /^100\.(?:6[4-9]|[789]\d|1[01]\d|12[0-7])\./,
  /^172\.(?:1[6-9]|2\d|3[01])\./,
  /^198\.1[89]\./,
  /^2(?:2[4-9]|[345]\d)\./,
];

/** The global unicast range of IPv6 without its documentation prefix; all other addresses are private or special. */
const PUBLIC_IPV6 = /^\[[23][0-9a-f]{3}:(?!.*\.)/i;
const DOCUMENTATION_IPV6 = /^\[2001:0?db8:/i;

/** Returns whether readers of a mail can open links of this origin: https, and neither a private name nor address. */
export function isPublicHttps(publicUrl: string | null): boolean {
  const host = ORIGIN.exec(publicUrl ?? '')?.[1]?.replace(/\.$/, '');
  return host !== undefined && isPublicHost(host);
}

/** Returns whether a name or an address is public. @param host an IPv6 address in brackets */
export function isPublicHost(host: string): boolean {
  if (host.startsWith('[')) return isPublicIpv6(host);
  return /^[\d.]+$/.test(host) ? !PRIVATE_IPV4.some((range) => range.test(host)) : !PRIVATE_NAME.test(host);
}

const isPublicIpv6 = (host: string): boolean => PUBLIC_IPV6.test(host) && !DOCUMENTATION_IPV6.test(host);
