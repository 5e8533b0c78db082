import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Names and addresses of this machine itself. A web page elsewhere cannot make a browser send one of them. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** A host name or address as a URL holds it, with a port or without: no user, no path, no space. */
const AUTHORITY = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{0,5})?$/i;

/**
 * Reads the host of a Host header or of a setting: lower case, no port, no dot at its end, an IPv6 address in its short form.
 * @returns null for what is no host
 */
export function readHost(authority: string): string | null {
  const [, host] = AUTHORITY.exec(authority) ?? [];
  return host === undefined ? null : (URL.parse(`http://${host.replace(/\.$/, '')}`)?.hostname ?? null);
}

/** Reads a host of a setting: a port is a mistake there, an IPv6 address needs no brackets. @returns null for what is none */
export function readHostAlone(text: string): string | null {
  const host = isIP(text) === 6 ? `[${text}]` : text;
  return /:\d*$/.test(host) ? null : readHost(host);
}

/** The hosts whose requests are answered: those given, as readHost returns them, and this machine's own names. */
export const hostsWithLoopback = (hosts: readonly string[]): ReadonlySet<string> => new Set([...LOOPBACK, ...hosts]);

/**
 * Judges for which host a request was meant. Ports are not compared: proxies and containers map them.
 * HTTP/1.0 may leave the host out, as probes of load balancers do; no browser does.
 * @returns null to answer it; 400 without one readable Host header; 421 for a host that is not ours
 */
export function hostRefusal(request: IncomingMessage, allowed: ReadonlySet<string>): 400 | 421 | null {
  const { url = '', rawHeaders, headers, httpVersion } = request;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  if (count > 1 || (count === 0 && httpVersion !== '1.0')) return 400;
  // `GET http://host/path`: this host counts (RFC 9112 3.2.2), and the header should say the same.
  const target = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1];
  for (const authority of [headers.host, target]) {
    if (authority === undefined || allowed.has(authority)) continue;
    const host = readHost(authority);
    if (host === null) return 400;
    if (!allowed.has(host)) return 421;
  }
  return null;
}
