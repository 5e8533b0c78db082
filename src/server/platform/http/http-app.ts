import { randomUUID } from 'node:crypto';
import underPressure from '@fastify/under-pressure';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { MAX_BODY_BYTES } from '#domain/limits.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { addClientAddress, type TrustedProxies } from './client-address.ts';
import { addCompression } from './compression.ts';
import { addEarlyAnswers } from './early-answers.ts';
import { addErrorAnswers, answerError } from './errors.ts';
import { EventStream } from './event-stream.ts';
import { hostsWithLoopback, originForm } from './hosts.ts';
import { httpServer, SERVER_TIMES, type ServerTimes } from './http-server.ts';
import { addJsonBodies } from './json-body.ts';
import { readQuery } from './query-string.ts';
import { refuseConnection } from './refuse-connection.ts';
import { addRequestLog, logRequest } from './request-log.ts';
import { securityHeaders } from './security-headers.ts';

export interface HttpOptions {
  readonly logger?: FastifyBaseLogger | undefined;
  readonly metrics?: Metrics | undefined;
  /** Whether users connect by TLS. Answers then carry an HSTS header of two years. */
  readonly https?: boolean;
  /** None by default: the client is who connects. */
  readonly proxies?: TrustedProxies;
  /** The hosts that we answer for, besides the loopback names. */
  readonly allowedHosts?: readonly string[];
  /** Whether the process is stopping: it reports not ready, and closes connections after their answer. */
  readonly stopping?: () => boolean;
  readonly times?: Partial<ServerTimes & PressureTimes>;
}

interface PressureTimes {
  /** The mean event loop delay of a sample above which answers become 503. */
  readonly maxDelayMs: number;
  readonly sampleMs: number;
}

const PRESSURE_TIMES: PressureTimes = { maxDelayMs: 1000, sampleMs: 1000 };

const RETRY_AFTER_SECONDS = 5;

/** Creates Fastify with everything that all routes share. That is headers, limits, parsers, error answers and logs. */
export async function httpApp({
  logger,
  metrics,
  https = false,
  proxies = { ranges: [], header: 'x-forwarded-for' },
  allowedHosts = [],
  stopping = () => false,
  times,
}: HttpOptions) {
  const headers = securityHeaders(https);
  const limits = { ...SERVER_TIMES, ...PRESSURE_TIMES, ...times };
  const app: FastifyInstance = fastify({
    ...(logger ? { loggerInstance: logger } : { logger: false }),
    serverFactory: (listener) => httpServer(listener, headers, limits),
    clientErrorHandler: refuseConnection(headers),
    bodyLimit: MAX_BODY_BYTES,
    // Routes, hooks and files then all see one form of a URL.
    rewriteUrl: ({ url = '' }) => originForm(url),
    // HEAD is for pages only (web-files.ts). The API has no call with it.
    exposeHeadRoutes: false,
    // Requests that arrive while the server stops are answered, and their connections closed.
    return503OnClosing: false,
    genReqId: () => randomUUID(),
    // request-log.ts writes these lines, because Fastify's contain the URL.
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
  addEarlyAnswers(app, hostsWithLoopback(allowedHosts));
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
 * Closes each connection after its answer once the process is stopping. A proxy with kept connections then opens new
 * ones elsewhere, and no request is cut when the server closes. A connection that stayed open would delay that by its
 * keep-alive time. Streams are ended.
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
