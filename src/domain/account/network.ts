import { type Ip, ipText, isIpv4, readIp, unmapped } from './ip.ts';

const UNKNOWN = 'unknown';

/** Reads an address as Node or a trusted proxy writes it, also with a zone (`fe80::1%eth0`). */
function ofClient(ip: string): Ip | null {
  const [address = ''] = ip.split('%');
  const read = readIp(address);
  return read === null ? null : unmapped(read);
}

/** Returns an IPv6 network as text: its first groups. */
const ipv6Network = (ip: Ip, groups: number): string =>
  `${ipText(ip).split(':').slice(0, groups).join(':')}::/${groups * 16}`;

/**
 * Returns the network under which a rate limit counts an address. An IPv4 address counts as itself. An IPv6 address
 * counts as its /64: a subscriber has all of it, and could use a new address for each request. Text that is no address
 * counts as one shared network.
 * @param ip as Node or a trusted proxy writes it
 */
export function networkOf(ip: string): string {
  const read = ofClient(ip);
  if (read === null) return UNKNOWN;
  return isIpv4(read) ? ipText(read) : ipv6Network(read, 4);
}

/** Returns the network with which a log-in is audited: the address's /24 or /48, which identifies no person. */
export function wideNetworkOf(ip: string): string {
  const read = ofClient(ip);
  if (read === null) return UNKNOWN;
  return isIpv4(read) ? ipText(read).replace(/\d+$/, '0/24') : ipv6Network(read, 3);
}

/** Returns the canonical form of an address; null: text that is none. */
export function knownAddress(ip: string): string | null {
  const read = ofClient(ip);
  return read === null ? null : ipText(read);
}

/** Returns the canonical form of an address, so that equal addresses are equal texts. */
export const addressOf = (ip: string): string => knownAddress(ip) ?? UNKNOWN;
