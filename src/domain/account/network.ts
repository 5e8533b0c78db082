const UNKNOWN = 'unknown';

/** @returns the IPv4 address, also one inside an IPv6 address; undefined for other text */
const ipv4Of = (ip: string): string | undefined => /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(ip)?.[1];

/** @returns the eight groups of an IPv6 address without leading zeros; null for other text */
function ipv6GroupsOf(ip: string): string[] | null {
  const [address = ''] = ip.split('%');
  if (!/^[0-9a-f:]{2,39}$/i.test(address) || !address.includes(':')) return null;
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => text.split(':').filter(Boolean);
  const zeros = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...groups(tail ?? '')];
  return all.map((group) => Number.parseInt(group, 16).toString(16));
}

/**
 * Returns the network under which a rate limit counts an address. An IPv4 address counts as itself. An IPv6 address
 * counts as its /64: a subscriber has all of it, and could use a new address for each request. Text that is no address
 * counts as one shared network.
 * @param ip as Node or a trusted proxy writes it
 */
export function networkOf(ip: string): string {
  const groups = ipv6GroupsOf(ip)?.slice(0, 4).join(':');
  return ipv4Of(ip) ?? (groups === undefined ? UNKNOWN : `${groups}::/64`);
}

/** Returns the network with which a log-in is audited: the address's /24 or /48, which identifies no person. */
export function wideNetworkOf(ip: string): string {
  const ipv4 = ipv4Of(ip);
  if (ipv4 !== undefined) return ipv4.replace(/\d+$/, '0/24');
  const groups = ipv6GroupsOf(ip)?.slice(0, 3).join(':');
  return groups === undefined ? UNKNOWN : `${groups}::/48`;
}

/** Returns the canonical form of an address, so that equal addresses are equal texts. */
export const addressOf = (ip: string): string => ipv4Of(ip) ?? ipv6GroupsOf(ip)?.join(':') ?? UNKNOWN;
