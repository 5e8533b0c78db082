/** An address as numbers: four of 8 bits (IPv4), or eight of 16 bits (IPv6). */
export type Ip = readonly number[];

const OCTETS = 4;
const GROUPS = 8;
/** An IPv4 address within IPv6 follows these groups: `::ffff:203.0.113.9`. */
const MAPPED = [0, 0, 0, 0, 0, 0xffff];

const readOctets = (text: string): Ip | null =>
  /^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/.test(text) && text.split('.').every((octet) => Number(octet) < 256)
    ? text.split('.').map(Number)
    : null;

const hex = (group: number): string => group.toString(16);

/** Returns an address with an IPv4 address at its end as groups alone. */
function withGroups(text: string): string {
  const [end = ''] = /(?<=:)[\d.]*\.[\d.]*$/.exec(text) ?? [];
  const [first = -1, second = 0, third = 0, fourth = 0] = readOctets(end) ?? [];
  if (first < 0) return text;
  return text.slice(0, -end.length) + [first * 256 + second, third * 256 + fourth].map(hex).join(':');
}

function readGroups(text: string): Ip | null {
  const sides = withGroups(text).split('::');
  const [head = [], tail] = sides.map((side) => (side === '' ? [] : side.split(':')));
  const given = head.length + (tail?.length ?? 0);
  const isWhole = tail === undefined ? given === GROUPS : sides.length === 2 && given < GROUPS;
  if (!isWhole || ![...head, ...(tail ?? [])].every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  const zeros = Array.from({ length: GROUPS - given }, () => '0');
  return [...head, ...zeros, ...(tail ?? [])].map((group) => Number.parseInt(group, 16));
}

/** Reads an address without a zone; null: other text. */
export const readIp = (text: string): Ip | null => (text.length > 45 ? null : (readOctets(text) ?? readGroups(text)));

export const isIpv4 = (ip: Ip): boolean => ip.length === OCTETS;

/** Returns the IPv4 address within an IPv6 address; every other address as it is. */
export const unmapped = (ip: Ip): Ip =>
  ip.length === GROUPS && MAPPED.every((group, at) => ip[at] === group)
    ? ip.slice(-2).flatMap((group) => [Math.floor(group / 256), group % 256])
    : ip;

/** Writes an address; IPv6 by all eight groups, without leading zeros. */
export const ipText = (ip: Ip): string => (isIpv4(ip) ? ip.join('.') : ip.map(hex).join(':'));
