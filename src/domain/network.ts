const UNKNOWN = 'unknown';

/** @returns the IPv4 address that is written, also inside of an IPv6 address; undefined for any other */
const ipv4Of = (ip: string): string | undefined => /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(ip)?.[1];

/** @returns the eight groups of an IPv6 address without leading zeros; null for what is none */
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
 * Returns whom an address counts as where requests are limited: an IPv4 address itself, an IPv6 address by its /64,
 * because a subscriber has all of one and could take a new address for each request. Whatever is no address is one and
 * the same network.
 * @param ip as node or a trusted proxy writes it
 */
export function networkOf(ip: string): string {
  const groups = ipv6GroupsOf(ip)?.slice(0, 4).join(':');
  return ipv4Of(ip) ?? (groups === undefined ? UNKNOWN : `${groups}::/64`);
}

/** Returns an address in its one form, so that equal addresses are equal texts. */
export const addressOf = (ip: string): string => ipv4Of(ip) ?? ipv6GroupsOf(ip)?.join(':') ?? UNKNOWN;
