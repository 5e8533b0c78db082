import { randomUUID } from 'node:crypto';
import underPressure from '@fastify/under-pressure';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { MAX_BODY_BYTES } from '#domain/limits.ts';
import type { Metrics } from '../metrics.ts';
import { addCompression } from './compression.ts';
import { addEarlyRefusals } from './early-refusals.ts';
import { addErrorAnswers, answerError } from './errors.ts';
import { EventStream } from './event-stream.ts';
import { hostsWithLoopback, originForm } from './hosts.ts';
import { httpServer, refuseConnection, SERVER_TIMES, type ServerTimes } from './http-server.ts';
import { addJsonBodies } from './json-body.ts';
import { readQuery } from './query-string.ts';
import { addRequestLog, logRequest } from './request-log.ts';
import { securityHeaders } from './security-headers.ts';

export interface HttpOptions {
  readonly logger?: FastifyBaseLogger | undefined;
  readonly metrics?: Metrics | undefined;
  /** Whether users come by TLS: answers say so for two years (HSTS). */
  readonly https?: boolean;
  /** Addresses and CIDR ranges of proxies whose X-Forwarded-For is believed. */
  readonly trustProxy?: readonly string[];
  /** The hosts that users call us by, besides the loopback names. */
  readonly allowedHosts?: readonly string[];
  /** Whether the process has been asked to stop: it is not ready for new users, and keeps no connection. */
  readonly stopping?: () => boolean;
  readonly times?: Partial<ServerTimes & PressureTimes>;
}

interface PressureTimes {
  /** The event loop may be late by this much, on average over a sample, before answers become 503. */
  readonly maxDelayMs: number;
  readonly sampleMs: number;
}

const PRESSURE_TIMES: PressureTimes = { maxDelayMs: 1000, sampleMs: 1000 };

const RETRY_AFTER_SECONDS = 5;

/**
 * Fastify with all that holds for every route: headers, limits, what is read, how errors are answered, what is logged.
 */
export async function httpApp({
  logger,
  metrics,
  https = false,
  trustProxy = [],
  allowedHosts = [],
  stopping = () => false,
  times,
}: HttpOptions) {
  const headers = securityHeaders(https);
  const limits = { ...SERVER_TIMES, ...PRESSURE_TIMES, ...times };
  const app: FastifyInstance = fastify({
    ...(logger ? { loggerInstance: logger } : { logger: false }),
    ...(trustProxy.length > 0 && { trustProxy: [...trustProxy] }),
    serverFactory: (listener) => httpServer(listener, headers, limits),
    clientErrorHandler: refuseConnection(headers),
    bodyLimit: MAX_BODY_BYTES,
    // So that routes, hooks and files all see one form of an address.
    rewriteUrl: ({ url = '' }) => originForm(url),
    // HEAD is for pages (web-files.ts): to the API it is one more verb that no call has.
    exposeHeadRoutes: false,
    // What comes in while we stop is still answered, on connections that end with it.
    return503OnClosing: false,
    genReqId: () => randomUUID(),
    // request-log.ts writes the lines: Fastify's hold the URL.
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
  addErrorAnswers(app);
  addRequestLog(app, metrics);
  addEarlyRefusals(app, hostsWithLoopback(allowedHosts));
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
 * From the moment we are asked to stop each answer ends its connection, so that whoever keeps connections (a proxy)
 * asks the others over new ones, and none is cut under a request when the server closes. One that outlived that would
 * leave the server waiting for its keep-alive time; an answer that goes on is ended.
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
