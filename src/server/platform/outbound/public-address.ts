import { BlockList, isIP } from 'node:net';

/** IPv4 networks that are not of the public internet (IANA's special-purpose registry), with why. */
const REFUSED_V4 = [
  ['0.0.0.0', 8], // unspecified, this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT; Alibaba's metadata
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's host of each machine
  ['169.254.0.0', 16], // link-local; metadata of AWS, Azure, Google
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; Oracle's metadata
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
] as const;

/** Of IPv6 only global unicast is public; without it, these contain an IPv4 address or are special. */
const REFUSED_V6 = [
  ['2001::', 23], // protocol assignments, with Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
] as const;

/** The well-known prefix of NAT64: a host with IPv6 alone reaches the IPv4 internet by it. */
const NAT64 = '64:ff9b::';

const refused = new BlockList();
const globalV6 = new BlockList();
globalV6.addSubnet('2000::', 3, 'ipv6');
globalV6.addSubnet(NAT64, 96, 'ipv6');
for (const [network, bits] of REFUSED_V6) refused.addSubnet(network, bits, 'ipv6');
for (const [network, bits] of REFUSED_V4) {
  refused.addSubnet(network, bits, 'ipv4');
  refused.addSubnet(`${NAT64}${network}`, 96 + bits, 'ipv6');
}

/**
 * Whether an address is of the public internet: neither this machine nor a network around it. IPv4 within IPv6 (mapped,
 * compatible, 6to4, Teredo) is not; by NAT64 it is what the IPv4 address is.
 */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !refused.check(address, 'ipv4');
  // An address with a zone is of a link.
  if (version !== 6 || address.includes('%')) return false;
  return globalV6.check(address, 'ipv6') && !refused.check(address, 'ipv6');
}
