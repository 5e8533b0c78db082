import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address; '' where a trusted proxy names none. `ip` is the connection's, perhaps a proxy's. */
    readonly clientAddress: string;
    /** Whether a header names a client, and no trusted proxy has sent it: `clientAddress` may be a proxy's. */
    readonly isOfUnknownProxy: boolean;
  }
}

/** The one header in which proxies name the client. */
export const PROXY_HEADERS = ['x-forwarded-for', 'forwarded'] as const;
export type ProxyHeader = (typeof PROXY_HEADERS)[number];

export interface TrustedProxies {
  /** Addresses and CIDR ranges. */
  readonly ranges: readonly string[];
  readonly header: ProxyHeader;
}

/** Adds `clientAddress` and `isOfUnknownProxy` to each request. */
export function addClientAddress(app: FastifyInstance, proxies: TrustedProxies): void {
  const clientOf = clientFinder(proxies);
  const isTrusted = proxyChecker(proxies);
  app.decorateRequest('isOfUnknownProxy', {
    getter() {
      const { headers, socket } = this.raw;
      const named = PROXY_HEADERS.filter((header) => headers[header] !== undefined);
      const isRead = named.includes(proxies.header) && isTrusted(socket.remoteAddress ?? '');
      return named.length > 0 && !isRead;
    },
  });
  app.decorateRequest('clientAddress', {
    getter() {
      return clientOf(this.raw);
    },
  });
}

type Incoming = Pick<IncomingMessage, 'headers'> & {
  readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress'>;
};

/**
 * Returns a function that finds a client's address: the last one in the header that is no trusted proxy's.
 * Each proxy appends the address of its caller, so only entries written by trusted proxies are read.
 * Where one is unreadable the address is unknown, ''. All such visitors share one limit, and are outside of every
 * network: a client can make the header unreadable, and must not count as the proxy, which may be inside.
 */
export function clientFinder({ ranges, header }: TrustedProxies): (request: Incoming) => string {
  const isTrusted = proxyChecker({ ranges });
  return ({ headers, socket }) => {
    let address = socket.remoteAddress ?? '';
    const value = headers[header];
    const entries = value === undefined ? [] : ENTRIES[header](String(value));
    while (entries.length > 0 && isTrusted(address)) address = readAddress(entries.pop() ?? '') ?? UNKNOWN;
    return address;
  };
}

/** The address of a client that no trusted proxy names. Being no address, it is no proxy's, and ends the search. */
const UNKNOWN = '';

function proxyChecker({ ranges }: Pick<TrustedProxies, 'ranges'>): (address: string) => boolean {
  const trusted = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    trusted.addSubnet(address, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return (address) => isIP(address) !== 0 && trusted.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

const ENTRIES: Readonly<Record<ProxyHeader, (value: string) => string[]>> = {
  'x-forwarded-for': (value) => value.split(','),
  forwarded: forwardedFor,
};

const TOKEN = "[!#$%&'*+.^_`|~\\w-]+";
/**
 * A pair of RFC 7239 section 4 with its end: before `;` follows a pair of the same proxy, before `,` the next proxy.
 */
const FORWARDED_PAIR = new RegExp(`[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")[ \\t]*)?([;,]|$)`, 'y');

/**
 * Returns each proxy's value of `for=`; '' if it wrote none.
 * One fault makes the whole header unreadable: otherwise a quotation mark left open by a client would hide what the
 * proxy appended.
 */
function forwardedFor(value: string): string[] {
  const entries = [''];
  FORWARDED_PAIR.lastIndex = 0;
  for (;;) {
    const pair = FORWARDED_PAIR.exec(value);
    if (pair === null) return [''];
    const [, name, token, quoted, end] = pair;
    if (name?.toLowerCase() === 'for') entries.splice(-1, 1, token ?? quoted?.replaceAll(/\\(.)/g, '$1') ?? '');
    if (end === '') return entries;
    if (end === ',') entries.push('');
  }
}

/** An address in brackets, perhaps with a port. */
const BRACKETED = /^\[([^[\]]*)\](?::[\w.-]+)?$/;
/** Azure's gateway and others append the port of the connection; RFC 7239 allows a hidden one, `_x`. */
const WITH_PORT = /^(.+):(?:\d{1,5}|_[\w.-]+)$/;

/** Reads `192.0.2.1`, `192.0.2.1:51234`, `2001:db8::1`, `[2001:db8::1]:5` or one of them in quotation marks. */
function readAddress(entry: string): string | null {
  const text = entry.trim().replace(/^"(.*)"$/, '$1');
  const forms = [text, BRACKETED.exec(text)?.[1], WITH_PORT.exec(text)?.[1]];
  return forms.find((form) => form !== undefined && isIP(form) !== 0) ?? null;
}
