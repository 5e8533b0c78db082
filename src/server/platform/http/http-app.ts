import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import underPressure from '@fastify/under-pressure';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import qs from 'qs';
import { MAX_BODY_BYTES, MAX_QUERY_PARAMETERS } from '#domain/limits.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { EventStream } from './answers.ts';
import { addClientAddress, type TrustedProxies } from './client-address.ts';
import { addCompression } from './compression.ts';
import { addEarlyAnswers, addMovedAnswers } from './early-answers.ts';
import { addErrorAnswers, answerError, errorAnswer } from './errors.ts';
import { type AccountHosts, knownHosts, originForm } from './hosts.ts';
import { httpServer, SERVER_TIMES, type ServerTimes } from './http-server.ts';
import { addJsonBodies } from './json-body.ts';
import { securityHeaders } from './security-headers.ts';

export interface HttpOptions {
  readonly logger?: FastifyBaseLogger | undefined;
  readonly metrics?: Metrics | undefined;
  /** Whether users connect by TLS. Answers then carry an HSTS header of two years. */
  readonly https?: boolean;
  /** Default: none, so that the connection's address is the client's. */
  readonly proxies?: TrustedProxies;
  /** The hosts that we answer for, besides the loopback names. */
  readonly allowedHosts?: readonly string[];
  /** Hosts of accounts, besides those. Default: none. */
  readonly accountHosts?: Pick<AccountHosts, 'accountOf' | 'movedFrom'>;
  /** Whether the process is stopping: it reports not ready, and closes connections after their answer. */
  readonly stopping?: () => boolean;
  /** Whether the database has become too new for this program, which then refuses all requests. */
  readonly isOutdated?: () => boolean;
  readonly times?: Partial<ServerTimes & PressureTimes>;
}

interface PressureTimes {
  /** The mean event loop delay of a sample, in milliseconds, above which requests get 503. */
  readonly maxDelayMs: number;
  readonly sampleMs: number;
}

const PRESSURE_TIMES: PressureTimes = { maxDelayMs: 1000, sampleMs: 1000 };

const RETRY_AFTER_SECONDS = 5;

/** Creates Fastify with the common parts of all routes: headers, limits, parsers, error answers and logs. */
export async function httpApp({
  logger,
  metrics,
  https = false,
  proxies = { ranges: [], header: 'x-forwarded-for' },
  allowedHosts = [],
  accountHosts,
  stopping = () => false,
  isOutdated = () => false,
  times,
}: HttpOptions) {
  const headers = securityHeaders(https);
  const limits = { ...SERVER_TIMES, ...PRESSURE_TIMES, ...times };
  const app: FastifyInstance = fastify({
    ...(logger ? { loggerInstance: logger } : { logger: false }),
    serverFactory: (listener) => httpServer(listener, headers, limits),
    clientErrorHandler: refuseConnection(headers),
    bodyLimit: MAX_BODY_BYTES,
    // Routes, hooks and files then all see the same form of a URL.
    rewriteUrl: ({ url = '' }) => originForm(url),
    // Only pages have HEAD (web-files.ts). The API has no such call.
    exposeHeadRoutes: false,
    // Requests that arrive while the server stops are answered, and their connections closed.
    return503OnClosing: false,
    genReqId: () => randomUUID(),
    // addRequestLog writes these lines, because Fastify's contain URLs.
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: (error, request, reply) => {
      answerError(error, request, reply);
      logRequest(request, reply);
    },
    routerOptions: {
      ignoreTrailingSlash: true,
      querystringParser: readQuery,
    },
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  addClientAddress(app, proxies);
  addErrorAnswers(app);
  addRequestLog(app, metrics);
  addEarlyAnswers(app, knownHosts(allowedHosts, accountHosts), isOutdated);
  if (accountHosts) addMovedAnswers(app, accountHosts);
  await app.register(underPressure, {
    maxEventLoopDelay: limits.maxDelayMs,
    sampleInterval: limits.sampleMs,
    retryAfter: RETRY_AFTER_SECONDS,
  });
  addJsonBodies(app);
  addCompression(app);
  endConnections(app, stopping);
  return app;
}

/**
 * Closes each connection after its answer once the process is stopping, and ends streams. A proxy with kept connections
 * then opens new ones elsewhere, so that closing the server cuts no request. An open connection would delay the stop by
 * its keep-alive time.
 */
function endConnections(app: FastifyInstance, stopping: () => boolean): void {
  let closing = false;
  const streams = new Set<EventStream>();
  app.addHook('preClose', async () => {
    closing = true;
    for (const stream of streams) stream.end();
  });
  app.addHook('onSend', (_request, reply, payload, next) => {
    if (closing || stopping()) reply.header('connection', 'close');
    if (payload instanceof EventStream) {
      streams.add(payload);
      payload.once('close', () => streams.delete(payload));
    }
    next();
  });
}

/**
 * Parses a query with brackets into objects without a prototype. `constructor` and `toString` are then ordinary names,
 * which the call's schema refuses.
 */
export const readQuery = (text: string): Record<string, unknown> =>
  qs.parse(text, {
    depth: 3,
    arrayLimit: 100,
    parameterLimit: MAX_QUERY_PARAMETERS,
    strictDepth: false,
    plainObjects: true,
    decoder: decodeVisibly,
  });

/** Renames `__proto__` to a name that every schema refuses. qs would silently drop it. */
const decodeVisibly: qs.IParseOptions['decoder'] = (text, decode, charset, type) => {
  const decoded: unknown = decode(text, undefined, charset);
  return type === 'key' ? String(decoded).replaceAll('__proto__', '(__proto__)') : decoded;
};

const STATUS_OF_FAULT: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

/** Answers a request that Node cannot parse like any other, and closes the connection. */
const refuseConnection =
  (headers: ReadonlyMap<string, string>) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const status = STATUS_OF_FAULT[error.code ?? ''] ?? 400;
    const body = JSON.stringify(errorAnswer(status));
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      ...[...headers].map(([name, value]) => `${name}: ${value}`),
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    socket.destroySoon();
  };

/**
 * Writes one log line and one metric for each request. Routes are named by template, never by URL: filters hold names
 * and addresses, and the path of a confirmation page holds its secret.
 */
function addRequestLog(app: FastifyInstance, metrics: Metrics | undefined): void {
  app.addHook('onResponse', async (request, reply) => {
    logRequest(request, reply);
    const route = request.routeOptions.url ?? 'none';
    const labels = { method: request.method, route, status: reply.statusCode };
    metrics?.requests.observe(labels, reply.elapsedTime / 1000);
  });
}

function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { method, routeOptions, url } = request;
  const ms = Math.round(reply.elapsedTime);
  request.log.info(
    { method, path: apiRoute(routeOptions.url) ?? shortened(url), status: reply.statusCode, ms },
    'request',
  );
}

/** Returns the route of a call; null for `/*`, which serves every file of the web client. */
const apiRoute = (route: string | undefined): string | null => (route === undefined || route === '/*' ? null : route);

/**
 * Shortens a URL to its first path segment, if that is a plain word: `/confirmation/<secret>?x=1` → `/confirmation/…`.
 */
function shortened(url: string): string {
  const [first = '', ...rest] = (url.split(/[?#]/)[0] ?? '').replace(/^\//, '').split('/');
  return `/${/^[a-z_]{0,20}$/.test(first) ? first : '…'}${rest.length > 0 ? '/…' : ''}`;
}
