import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Names and addresses of this machine itself. No foreign web page can make a browser send one. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Matches the host of a URL, with or without a port: no user, path or space. */
const AUTHORITY = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{0,5})?$/i;

/**
 * Matches the start of a request target in absolute form, `GET http://host/path`. Its host overrides the header (RFC
 * 9112 3.2.2).
 */
const SCHEME_AND_HOST = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i;

/** Returns the path and query of a request target in absolute form; any other target unchanged. */
export function originForm(target: string): string {
  if (!/^https?:/i.test(target)) return target;
  const path = target.replace(SCHEME_AND_HOST, '');
  return path.startsWith('?') || path === '' ? `/${path}` : path;
}

/**
 * Reads the host of a Host header or a setting, in lower case, without port and final dot; an IPv6 address in its short
 * form.
 * @returns null for text that is no host
 */
export function readHost(authority: string): string | null {
  const [, host] = AUTHORITY.exec(authority) ?? [];
  return host === undefined ? null : (URL.parse(`http://${host.replace(/\.$/, '')}`)?.hostname ?? null);
}

/**
 * Reads a setting's host. A port is an error; an IPv6 address needs no brackets.
 * @returns null for text that is no host
 */
export function readHostAlone(text: string): string | null {
  const host = isIP(text) === 6 ? `[${text}]` : text;
  return /:\d*$/.test(host) ? null : readHost(host);
}

/** Returns the origin at which an account's members open the web client. */
export type UrlOf = (accountId: number) => string;

/** The accounts' hosts as last read, so that no request queries the database for one. */
export interface AccountHosts {
  /** Returns the account that has or had the host; null: none. @param host in readHost's form */
  readonly accountOf: (host: string) => number | null;
  /** Returns the account's own host's origin, or PUBLIC_URL's. */
  readonly urlOf: UrlOf;
  /** Returns the new home of the host's account; null: it lives here, or the host has no account. */
  readonly movedFrom: (host: string) => MovedHome | null;
  /** Returns the account that has or had the host, if it lives here; null: none. */
  readonly livesAt: (host: string) => number | null;
  /** Whether its members log in at this host: its own, or, without one, any host that is no account's. */
  readonly isHome: (accountId: number, host: string) => boolean;
}

/** The new home of an account that has moved to another cell. */
export interface MovedHome {
  readonly url: string;
  /** Whether the host is the account's present one: the proxy does not know of the move yet. */
  readonly isCurrent: boolean;
  /** The number of moves before it left. */
  readonly moves: number;
}

/**
 * The header of requests and mails that a server passes on to an account's new home. It has the number of moves before
 * the account left, and for a person's reply `; reply`.
 */
export const PASSED_ON = 'x-kaitaku-passed-on';

/**
 * Whether a passed-on request returns to the home that passed it on, or to an earlier one, and so would loop. A home
 * that the account left later passes it on once more.
 * @param passedOn the header; undefined: none. Programs of 1.0.0 write no number
 * @param moves of the account when it left here
 */
export const wasHere = (passedOn: string | string[] | undefined, moves: number): boolean =>
  passedOn !== undefined && !(Number.parseInt(String(passedOn), 10) < moves);

/** The hosts that this server answers for. */
export type KnownHosts = Pick<ReadonlySet<string>, 'has'>;

/**
 * Returns the hosts that this server answers for.
 * @param hosts of the settings, in readHost's form; this machine's own names are added
 */
export function knownHosts(hosts: readonly string[], accountHosts?: Pick<AccountHosts, 'accountOf'>): KnownHosts {
  const fixed = new Set([...LOOPBACK, ...hosts]);
  return { has: (host) => fixed.has(host) || (accountHosts !== undefined && accountHosts.accountOf(host) !== null) };
}

/** Returns the host that a request names, in readHost's form; '' for none. @param target as sent */
export const hostOf = ({ headers }: Pick<IncomingMessage, 'headers'>, target: string): string =>
  readHost(SCHEME_AND_HOST.exec(target)?.[1] ?? headers.host ?? '') ?? '';

/**
 * Checks that the host of a request is one of ours. Ports are ignored, because proxies and containers map them.
 * HTTP/1.0 may omit the host, as load balancer probes do; no browser does.
 * @param target the request target as sent, before originForm
 * @returns null to answer it; 400 without one readable Host header; 421 for another host
 */
export function hostFault(
  { rawHeaders, headers, httpVersion }: IncomingMessage,
  target: string,
  allowed: KnownHosts,
): 400 | 421 | null {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  if (count > 1 || (count === 0 && httpVersion !== '1.0')) return 400;
  // Checks both: header and target should agree.
  for (const authority of [headers.host, SCHEME_AND_HOST.exec(target)?.[1]]) {
    if (authority === undefined || allowed.has(authority)) continue;
    const host = readHost(authority);
    if (host === null) return 400;
    if (!allowed.has(host)) return 421;
  }
  return null;
}
