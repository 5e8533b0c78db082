import { type Ip, ipText, isIpv4, readIp, unmapped } from './ip.ts';

/** The networks from which an account may be used. */

export const MAX_LOGIN_NETWORKS = 50;

interface NetworkFault {
  /** The place in the list, from 0. */
  readonly at: number;
  readonly message: string;
}

export interface ReadNetworks {
  /** In a form that the database reads: `203.0.113.7`, `203.0.113.0/24`. */
  readonly networks: readonly string[];
  readonly faults: readonly NetworkFault[];
}

const FORM = '203.0.113.7 か 203.0.113.0/24 の形で入力してください';
const ZONE = '「%」の付いたアドレスは使えません';
const EVERYTHING = '/0 は、すべてのネットワークです。制限しないときは、何も入力しないでください';
const mapped = (ipv4: string) => `IPv4のアドレスは ${ipv4} の形で入力してください`;
const hostBits = (network: string, address: string) =>
  `ネットワークなら ${network}、1つのアドレスなら ${address} と入力してください`;
const REPEATED = '同じネットワークが上の行にあります';

/**
 * Reads networks as people type them: full-width characters and spaces around do not matter. What has two meanings is
 * refused with both: a guess could open the account to others, or close it to its owner.
 */
export function readNetworks(lines: readonly string[]): ReadNetworks {
  const networks = new Set<string>();
  const faults: NetworkFault[] = [];
  lines.forEach((line, at) => {
    const read = readNetwork(line);
    if ('fault' in read) faults.push({ at, message: read.fault });
    else if (networks.has(read.network)) faults.push({ at, message: REPEATED });
    else networks.add(read.network);
  });
  return { networks: [...networks], faults };
}

function readNetwork(line: string): { readonly network: string } | { readonly fault: string } {
  const text = line
    .normalize('NFKC')
    .replaceAll('。', '.')
    .replace(/\s*\/\s*/, '/')
    .trim();
  if (text.includes('%')) return { fault: ZONE };
  const [, address = '', written] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const ip = readIp(address);
  if (ip === null) return { fault: FORM };
  const most = isIpv4(ip) ? 32 : 128;
  const length = Number(written ?? most);
  if (length > most) return { fault: FORM };
  if (unmapped(ip) !== ip) return { fault: mapped(ipText(unmapped(ip))) };
  if (length === 0) return { fault: EVERYTHING };
  const first = firstOf(ip, length);
  if (ipText(first) !== ipText(ip)) return { fault: hostBits(`${shortText(first)}/${length}`, address) };
  return { network: length === most ? ipText(ip) : `${ipText(ip)}/${length}` };
}

/** Returns the first address of the network of an address. */
function firstOf(ip: Ip, length: number): Ip {
  const width = isIpv4(ip) ? 8 : 16;
  return ip.map((part, at) => {
    const free = 2 ** Math.min(width, Math.max(0, width * (at + 1) - length));
    return part - (part % free);
  });
}

/** Writes an address with `::` for the zeros at its end. */
const shortText = (ip: Ip): string => ipText(ip).replace(/(?::0)+$/, '::');
