import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Names and addresses of this machine itself. A web page elsewhere cannot make a browser send one of them. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** A host name or address as a URL holds it, with a port or without: no user, no path, no space. */
const AUTHORITY = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{0,5})?$/i;

/**
 * The start of a request target in absolute form, `GET http://host/path`. Its host overrides the header (RFC 9112
 * 3.2.2).
 */
const SCHEME_AND_HOST = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i;

/** Returns the path and query of a request target in absolute form; any other target as it is. */
export function originForm(target: string): string {
  if (!/^https?:/i.test(target)) return target;
  const path = target.replace(SCHEME_AND_HOST, '');
  return path.startsWith('?') || path === '' ? `/${path}` : path;
}

/**
 * Reads the host of a Host header or of a setting: lower case, no port, no dot at its end, an IPv6 address in its short
 * form.
 * @returns null for what is no host
 */
export function readHost(authority: string): string | null {
  const [, host] = AUTHORITY.exec(authority) ?? [];
  return host === undefined ? null : (URL.parse(`http://${host.replace(/\.$/, '')}`)?.hostname ?? null);
}

/**
 * Reads a host of a setting: a port is a mistake there, an IPv6 address needs no brackets.
 * @returns null for what is none
 */
export function readHostAlone(text: string): string | null {
  const host = isIP(text) === 6 ? `[${text}]` : text;
  return /:\d*$/.test(host) ? null : readHost(host);
}

/** The hosts whose requests are answered: those given, as readHost returns them, and this machine's own names. */
export const hostsWithLoopback = (hosts: readonly string[]): ReadonlySet<string> => new Set([...LOOPBACK, ...hosts]);

/**
 * Judges for which host a request was meant. Ports are not compared: proxies and containers map them.
 * HTTP/1.0 may leave the host out, as probes of load balancers do; no browser does.
 * @param target as it was sent, before originForm
 * @returns null to answer it; 400 without one readable Host header; 421 for a host that is not ours
 */
export function hostRefusal(
  { rawHeaders, headers, httpVersion }: IncomingMessage,
  target: string,
  allowed: ReadonlySet<string>,
): 400 | 421 | null {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  if (count > 1 || (count === 0 && httpVersion !== '1.0')) return 400;
  // Both are asked: header and target should say the same.
  for (const authority of [headers.host, SCHEME_AND_HOST.exec(target)?.[1]]) {
    if (authority === undefined || allowed.has(authority)) continue;
    const host = readHost(authority);
    if (host === null) return 400;
    if (!allowed.has(host)) return 421;
  }
  return null;
}
