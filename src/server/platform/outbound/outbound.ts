import { Resolver } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net';
import { domainToASCII } from 'node:url';
import { readHostAlone } from '../http/hosts.ts';
import { isAddressRange } from '../setting-values.ts';
import { isPublicAddress } from './public-address.ts';

/** Why a server that a member names was not reached. */
type OutboundReason =
  | 'not_https'
  | 'invalid_host'
  | 'no_address'
  | 'private_address'
  | 'unreachable'
  | 'redirect'
  | 'too_large'
  | 'timeout';

export class OutboundFault extends Error {
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, cause?: unknown) {
    super(`no answer of a server that a member named: ${reason}`, { cause });
    this.reason = reason;
  }
}

/** What a request sends; a part of fetch's RequestInit. */
interface OutboundInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Connections to servers that members name, never into the network of this server (decisions/outbound). */
export interface Outbound {
  /**
   * Requests an https URL, without redirects, within OUTBOUND_MS and MAX_ANSWER_BYTES.
   * @throws OutboundFault
   */
  fetch(url: string, init?: OutboundInit): Promise<Response>;
  /**
   * Opens a TCP connection, within OUTBOUND_MS, also to what MAIL_HOSTS_ALLOWED names. The caller closes it.
   * @throws OutboundFault
   */
  connect(host: string, port: number): Promise<Socket>;
  /**
   * Returns an address of a host, as `connect` would reach it, for a client that opens its connection itself: it
   * connects to the address, and expects the host's name in the certificate.
   * @throws OutboundFault
   */
  addressOf(host: string): Promise<string>;
}

interface OutboundOptions {
  /** `address` or `address:port` of resolvers; none: the system's. */
  readonly dnsServers?: readonly string[];
  /** Names, addresses and ranges around this server that `connect` may reach too. */
  readonly allowed?: readonly string[];
  /** Tests reach loopback by it. Default: isPublicAddress. */
  readonly mayReach?: (address: string) => boolean;
  /** Tests trust their own certificate by it. Default: the authorities of Node. */
  readonly ca?: string;
  /** Default: OUTBOUND_MS. */
  readonly timeMs?: number;
}

/** The time limit from the look-up of the name to the last byte. */
const OUTBOUND_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;

export function outboundWith({
  dnsServers = [],
  allowed = [],
  mayReach = isPublicAddress,
  ca,
  timeMs = OUTBOUND_MS,
}: OutboundOptions = {}): Outbound {
  const inside = hostsOf(allowed);
  /** Resolves a host once; the lookup returns the checked addresses alone, because the DNS may change its answer. */
  const check = async (name: string, signal: AbortSignal, mayBeInside = false): Promise<Checked> => {
    // domainToASCII would cut a name there, or drop it.
    if (/[\s/\\?#@]/.test(name)) throw new OutboundFault('invalid_host');
    const host = readHostAlone(isIP(name) ? name : domainToASCII(name))?.replace(/^\[|\]$/g, '');
    if (host === undefined || host === '') throw new OutboundFault('invalid_host');
    const addresses = isIP(host) ? [host] : await resolve(host, dnsServers, signal);
    const isAllowed = (address: string) => mayReach(address) || (mayBeInside && inside(host, address));
    if (!addresses.every(isAllowed)) throw new OutboundFault('private_address');
    const checked = addresses.map((address) => ({ address, family: isIP(address) }));
    return { host, addresses, lookup: (_host, _options, done) => done(null, checked) };
  };
  return {
    fetch: (url, init) =>
      inTime(timeMs, async (signal) => {
        const target = URL.parse(url);
        if (target?.protocol !== 'https:' || target.username !== '' || target.password !== '') {
          throw new OutboundFault('not_https');
        }
        const { lookup } = await check(target.hostname, signal);
        const { promise, resolve: answer, reject } = Promise.withResolvers<IncomingMessage>();
        const { method = 'GET', headers = {}, body } = init ?? {};
        // Options of a socket pass through `request`, but its type has no `autoSelectFamily` that `lookup` needs.
        const connection = { lookup, autoSelectFamily: true, ...(ca !== undefined && { ca }) };
        const request = httpsRequest(target, { method, headers, agent: false, signal, ...connection });
        request.once('response', answer).on('error', reject);
        request.end(body === undefined || body === null ? undefined : bytesOf(body));
        return readAnswer(await promise).finally(() => request.destroy());
      }),
    addressOf: (name) => inTime(timeMs, async (signal) => (await check(name, signal, true)).addresses[0] ?? ''),
    connect: (name, port) =>
      inTime(timeMs, async (signal) => {
        const { host, lookup } = await check(name, signal, true);
        const { promise, resolve: open, reject } = Promise.withResolvers<Socket>();
        const socket = netConnect({ host, port, lookup, autoSelectFamily: true });
        const cut = () => socket.destroy(new OutboundFault('timeout'));
        signal.addEventListener('abort', cut, { once: true });
        socket.once('connect', () => open(socket)).once('error', reject);
        return promise.finally(() => {
          signal.removeEventListener('abort', cut);
          socket.off('error', reject);
        });
      }),
  };
}

interface Checked {
  readonly host: string;
  /** At least one. */
  readonly addresses: readonly string[];
  readonly lookup: LookupFunction;
}

/** Returns whether a name, or its address, is in a list of names, addresses and ranges. */
function hostsOf(allowed: readonly string[]): (name: string, address: string) => boolean {
  const names = new Set(allowed.map((one) => one.toLowerCase()));
  const ranges = new BlockList();
  for (const one of allowed.filter(isAddressRange)) {
    const [network = '', bits] = one.split('/');
    const kind = isIP(network) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) ranges.addAddress(network, kind);
    else ranges.addSubnet(network, Number(bits), kind);
  }
  return (name, address) => names.has(name) || ranges.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/** Runs `work` with a signal of the time limit, and turns what it throws into an OutboundFault. */
async function inTime<Result>(timeMs: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const signal = AbortSignal.timeout(timeMs);
  try {
    return await work(signal);
  } catch (error) {
    if (error instanceof OutboundFault) throw error;
    throw new OutboundFault(signal.aborted ? 'timeout' : 'unreachable', error);
  }
}

/**
 * Asks the DNS for the addresses of a host. By c-ares, because `dns.lookup` blocks one of the four threads that hash
 * passwords, and cannot be cancelled. One of both kinds is enough: only what is returned is connected to.
 */
async function resolve(host: string, servers: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  signal.removeEventListener('abort', cancel);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length === 0) throw new OutboundFault(signal.aborted ? 'timeout' : 'no_address');
  return addresses;
}

/** Returns a body of fetch as `request.end` takes it. */
function bytesOf(body: unknown): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('a body of this kind is not sent');
}

/** The statuses whose Response may have no body. */
const WITHOUT_BODY = [204, 205, 304];

async function readAnswer(message: IncomingMessage): Promise<Response> {
  const { statusCode: status = 0, headersDistinct } = message;
  if (status >= 300 && status < 400 && status !== 304) throw new OutboundFault('redirect');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new OutboundFault('too_large');
    chunks.push(chunk);
  }
  const headers = Object.entries(headersDistinct).map(([name, values = []]): [string, string] => [
    name,
    values.join(', '),
  ]);
  return new Response(WITHOUT_BODY.includes(status) ? null : Buffer.concat(chunks), { status, headers });
}
