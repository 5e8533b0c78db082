import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Names and addresses of this machine itself. A web page elsewhere cannot make a browser send one of them. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Matches the host of a URL with or without a port: no user, no path, no space. */
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
 * Reads the host of a Host header or of a setting. The result is in lower case, without a port or a final dot; an IPv6
 * address is in its short form.
 * @returns null for text that is no host
 */
export function readHost(authority: string): string | null {
  const [, host] = AUTHORITY.exec(authority) ?? [];
  return host === undefined ? null : (URL.parse(`http://${host.replace(/\.$/, '')}`)?.hostname ?? null);
}

/**
 * Reads a host of a setting. A port is an error there; an IPv6 address needs no brackets.
 * @returns null for text that is no host
 */
export function readHostAlone(text: string): string | null {
  const host = isIP(text) === 6 ? `[${text}]` : text;
  return /:\d*$/.test(host) ? null : readHost(host);
}

/** Returns the origin at which an account's members open the web client. */
export type UrlOf = (accountId: number) => string;

/** The hosts of accounts, as they were read last: no request looks one up in the database. */
export interface AccountHosts {
  /** Returns whose host it is now or was; null: nobody's. @param host in readHost's form */
  readonly accountOf: (host: string) => number | null;
  /** That of its own host; that of PUBLIC_URL where it has none. */
  readonly urlOf: UrlOf;
  /** Returns where the account of a host lives now; null: it lives here, or the host is nobody's. */
  readonly movedFrom: (host: string) => MovedHome | null;
  /** Returns the account whose host it is or was, where it lives here; null: none. */
  readonly livesAt: (host: string) => number | null;
  /** Whether its members log in at this host: its own one, or where it has none any host that is no account's. */
  readonly isHome: (accountId: number, host: string) => boolean;
}

/** The new home of an account that has moved to another cell. */
export interface MovedHome {
  readonly url: string;
  /** Whether the host is the one at which it lives now: a proxy has not been told yet. */
  readonly isCurrent: boolean;
  /** How many moves the account had behind it when it left. */
  readonly moves: number;
}

/**
 * The header of what a server passes on to the new home of an account, requests and mails alike. It says how many moves
 * the account had behind it when it left there; of a person's answer then `; reply`.
 */
export const PASSED_ON = 'x-kaitaku-passed-on';

/**
 * Whether what was passed on comes back to a home that the account left, or that it left before: it would go round. A
 * home that it left later passes it on once more.
 * @param passedOn the header; undefined: none. Programs of 1.0.0 write no number
 * @param moves of the account, when it left here
 */
export const wasHere = (passedOn: string | string[] | undefined, moves: number): boolean =>
  passedOn !== undefined && !(Number.parseInt(String(passedOn), 10) < moves);

/** Tells which hosts we answer for. */
export type KnownHosts = Pick<ReadonlySet<string>, 'has'>;

/**
 * Returns the hosts that we answer for.
 * @param hosts of the settings, in readHost's form; this machine's own names come to them
 */
export function knownHosts(hosts: readonly string[], accountHosts?: Pick<AccountHosts, 'accountOf'>): KnownHosts {
  const fixed = new Set([...LOOPBACK, ...hosts]);
  return { has: (host) => fixed.has(host) || (accountHosts !== undefined && accountHosts.accountOf(host) !== null) };
}

/** Returns the host that a request names, in readHost's form; '' where it names none. @param target as sent */
export const hostOf = ({ headers }: Pick<IncomingMessage, 'headers'>, target: string): string =>
  readHost(SCHEME_AND_HOST.exec(target)?.[1] ?? headers.host ?? '') ?? '';

/**
 * Decides whether the host of a request is one of ours. Ports are not compared: proxies and containers map them.
 * HTTP/1.0 may omit the host, as load balancer probes do; no browser does.
 * @param target the request target as sent, before originForm
 * @returns null to answer it; 400 without one readable Host header; 421 for a host that is not ours
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
