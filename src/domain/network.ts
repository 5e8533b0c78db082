/**
 * Who an address counts as where requests are limited: an IPv4 address itself, an IPv6 address by its /64, because a subscriber
 * has all of one and could take a new address for each request. Whatever is no address is one and the same network.
 * @param ip as node or a trusted proxy writes it
 */
export function networkOf(ip: string): string {
  const v4 = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(ip)?.[1];
  if (v4 !== undefined) return v4;
  const [address = ''] = ip.split('%');
  if (!/^[0-9a-f:]{2,39}$/i.test(address) || !address.includes(':')) return 'unknown';
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => text.split(':').filter(Boolean);
  const zeros = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...groups(tail ?? '')];
  const first = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${first.join(':')}::/64`;
}
