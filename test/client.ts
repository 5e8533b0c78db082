import type { AddressInfo } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { API_BASE } from '#contract/call.ts';
import { errorsOf } from '#server/api-reference/common-errors.ts';
import { type AppOptions, buildApp } from '#server/app.ts';
import { smtpTemplates } from '#server/features/delivery/transports/smtp/smtp-transport.ts';
import type { TransportLanes, TransportTemplates } from '#server/features/delivery/transports/transport.ts';
import { NO_STORAGE_LIMITS, type StorageLimits } from '#server/features/stored-files/storage-limits.ts';
import type { AccountHosts } from '#server/platform/http/hosts.ts';
import type { Mailer } from '#server/platform/mail/system-mail.ts';
import { type Outbound, outboundWith } from '#server/platform/outbound/outbound.ts';
import type { Secrets } from '#server/platform/secrets/secrets.ts';
import { openSessionOf } from './accounts.ts';
import type { TestDatabase } from './db.ts';
import { discardLanes } from './discard-lanes.ts';
import { atFileEnd } from './file-end.ts';
import { noAccountHosts, PUBLIC_URL } from './mailing.ts';
import { type DomainParts, NO_DNS } from './no-dns.ts';
import { testSecrets } from './secrets.ts';
import { discardMail } from './system-mail.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A client of the API, logged in to an account; paths are relative to API_BASE. */
export interface Client {
  get(path: string): Promise<Answer>;
  post(path: string, body: object, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body?: object): Promise<Answer>;
}

/** A running API: the application, and the address of API_BASE. */
export interface Api {
  readonly app: FastifyInstance;
  readonly address: string;
}

type Pools = Pick<TestDatabase, 'api' | 'login'> & {
  /** Default: the program's own mails count as sent. */
  readonly mailer?: Mailer;
  /** The transport of runs. Default: SMTP. */
  readonly transport?: TransportTemplates;
  /** Default: PUBLIC_URL. */
  readonly publicUrl?: string;
  /** Default: no account has one. */
  readonly accountHosts?: AccountHosts;
  /** Default: test mails of templates count as sent. */
  readonly lanes?: TransportLanes;
  /** Default: none. */
  readonly storageLimits?: StorageLimits;
  readonly companiesMax?: number;
  readonly peopleMax?: number;
  /** Default: those of a key. */
  readonly secrets?: Secrets;
  /** Default: finds no server. */
  readonly outbound?: Outbound;
  /** How mails leave, and the DNS. Default: SMTP without a DKIM key, and a DNS that never answers. */
  readonly domains?: Partial<DomainParts>;
};

export { PUBLIC_URL };

/** No rate limits: a test sends requests faster than any person. */
const UNLIMITED = { member: Infinity, account: Infinity, visitor: Infinity };
/**
 * No limit of the event loop's delay: the test itself and a loaded machine cause delays. Infinity, because a sample
 * without a measurement counts as an infinite delay.
 */
const PATIENT = { maxDelayMs: Infinity };

/**
 * Serves the API over real HTTP until the end of the test file.
 * Injected requests lack parts of real ones (headersDistinct).
 */
export async function serveApp(
  {
    api,
    login,
    mailer = discardMail,
    transport = smtpTemplates,
    lanes = discardLanes,
    publicUrl = PUBLIC_URL,
    accountHosts = noAccountHosts(publicUrl),
    storageLimits = NO_STORAGE_LIMITS,
    companiesMax = 2_000_000,
    peopleMax = 2_000_000,
    secrets = testSecrets,
    outbound = outboundWith(NO_DNS),
    domains,
  }: Pools,
  now: () => number = Date.now,
  options: AppOptions = {},
): Promise<Api> {
  const given = { api, login, now, mailer, publicUrl, accountHosts, transport, lanes, storageLimits };
  const services = { ...given, companiesMax, peopleMax, secrets, outbound };
  const app = await buildApp(
    { ...services, ...NO_DNS, ...domains },
    { rates: UNLIMITED, ...options, times: { ...PATIENT, ...options.times } },
  );
  app.addHook('onSend', async (request, reply, payload) => {
    // If the client has disconnected, nobody reads the answer.
    if (reply.statusCode >= 400 && !request.socket.destroyed)
      expectDocumented(request, reply.statusCode, String(payload));
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  app.server.unref();
  // A monitor that is left open would measure the event loop's delay every 10 ms until the worker ends.
  atFileEnd(() => {
    const closed = app.close();
    // Closes connections with unread answers: otherwise the server waits for their keep-alive time of 72 s.
    app.server.closeAllConnections();
    return closed;
  });
  const { port } = app.server.address() as AddressInfo;
  return { app, address: `http://127.0.0.1:${port}${API_BASE}` };
}

/**
 * Checks that the API reference documents each refusal that a test receives.
 * Throws outside of any request, which fails the run.
 */
function expectDocumented({ routeOptions }: FastifyRequest, status: number, answer: string): void {
  const { call } = routeOptions.config;
  if (!call) return;
  const { code } = JSON.parse(answer) as { code: string };
  if (errorsOf(call).some((error) => error.code === code && error.status === status)) return;
  setImmediate(() => {
    throw new Error(`${call.method} ${call.path} answers ${status} ${code}, which its reference does not tell`);
  });
}

/** Serves the API. @returns the address of API_BASE */
export const serve = async (pools: Pools, now?: () => number): Promise<string> => (await serveApp(pools, now)).address;

export async function clientOf(pools: Pools, accountId: number, now: () => number = Date.now): Promise<Client> {
  const address = await serve(pools, now);
  return clientAt(address, `Bearer ${await openSessionOf(pools.login, accountId, now())}`);
}

/**
 * Reads a whole answer.
 * Of an endless one (server-sent events) it reads the first part and closes the connection.
 */
export async function readAnswer(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return value ?? '';
}

/** Returns a client that is logged in. @param authorization the header's value */
export function clientAt(address: string, authorization: string): Client {
  const send = async (method: string, path: string, body?: object, more = {}): Promise<Answer> => {
    const response = await fetch(address + path, {
      method,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }), ...more },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  return {
    get: (path) => send('GET', path),
    post: (path, body, headers) => send('POST', path, body, headers),
    put: (path, body) => send('PUT', path, body),
  };
}
