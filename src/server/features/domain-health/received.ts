import { isIP } from 'node:net';
import type { Hop } from '#domain/dns/test-mail.ts';
import { isPublicHost } from '#domain/law/refusal-place.ts';

/** Reads Received fields: what servers write about the server before them (RFC 5321, 4.4), for our own test mails. */

interface WrittenHop extends Hop {
  /** The server that wrote the field. */
  readonly by: string;
}

/**
 * Returns the server outside that handed the mail to the recipient's servers: the topmost one with a public address.
 * Fields below it may be forged; those above come from the recipient's own servers.
 * @param fields the values of the Received fields, the topmost first
 * @returns null where no outside server handled the mail
 */
export function outsideHop(fields: readonly string[]): Hop | null {
  const hops = fields.flatMap((field) => hopOf(field) ?? []);
  const found = hops.find((hop) => isPublicAddress(hop.address) && !isWithinService(hop));
  return found ? { address: found.address, helo: found.helo } : null;
}

/** Mails travel between the servers of a large service by public addresses. */
const SERVICE = /\.(?:outlook\.com|google\.com)$/i;
const isWithinService = ({ helo, by }: WrittenHop): boolean => SERVICE.test(helo) && SERVICE.test(by);

/** Checks whether an IP address is publicly routable. */
export const isPublicAddress = (address: string): boolean =>
  isPublicHost(address.includes(':') ? `[${address}]` : address);

const FIELD_LENGTH_MAX = 2000;

function hopOf(field: string): WrittenHop | null {
  const text = field.slice(0, FIELD_LENGTH_MAX).replace(/\s+/g, ' ').trim();
  const [, from, by] = /^from (.+?) by (\S+)/i.exec(text) ?? [];
  if (from === undefined || by === undefined) return null;
  const address = [...from.matchAll(ADDRESS)].flatMap(([, found = '']) => (isIP(found) === 0 ? [] : [found])).at(-1);
  // Exim and qmail write the reverse name first, and the HELO name into the comment.
  const helo = /\b(?:helo|ehlo)[= ]([^\s()]+)/i.exec(from)?.[1] ?? from.split(' ', 1)[0] ?? '';
  return address === undefined ? null : { address, helo, by };
}

/** An address as the server saw it, IPv4-mapped ones as IPv4. The client's HELO name does not count. */
const ADDRESS = /(?<!helo[= ])[[(](?:IPv6:)?(?:::ffff:)?([0-9a-f.:]{3,45})[\])]/gi;

/** Returns the DNS name that holds the reverse names of an address. */
export const reverseName = (address: string): string =>
  address.includes(':')
    ? `${[...fullGroups(address).join('')].toReversed().join('.')}.ip6.arpa`
    : `${address.split('.').toReversed().join('.')}.in-addr.arpa`;

function fullGroups(address: string): string[] {
  const [left = [], right = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].map((group) => group.padStart(4, '0').toLowerCase());
}
