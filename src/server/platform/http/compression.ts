import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Answers up to this size stay uncompressed. Their headers are most of their bytes. */
const MIN_BYTES = 1024;

const [asBrotli, asGzip] = [promisify(brotliCompress), promisify(gzip)];

/** Fast levels: 50 companies shrink to a tenth in a third of a millisecond, off the event loop. */
const ENCODERS = {
  br: (text: string) => asBrotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  gzip: (text: string) => asGzip(text, { level: 1 }),
};
const ENCODINGS = Object.keys(ENCODERS) as (keyof typeof ENCODERS)[];

/**
 * Compresses finished answers of more than MIN_BYTES in an encoding that the client accepts. Answers that carry a
 * secret stay uncompressed: beside text that an attacker chose, their length would reveal the secret letter by letter
 * (BREACH). Streams stay uncompressed too: events must be flushed at once, and files were compressed at the build
 * (web-files.ts).
 */
export function addCompression(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, next) => {
    if (!mayCompress(request, reply, payload)) return next();
    reply.header('vary', 'accept-encoding');
    const encoding = negotiate(request.headers['accept-encoding']?.toLowerCase() ?? '', ENCODINGS);
    if (encoding === null) return next();
    ENCODERS[encoding](payload).then((encoded) => {
      reply.header('content-encoding', encoding);
      next(null, encoded);
    }, next);
  });
}

const mayCompress = (request: FastifyRequest, reply: FastifyReply, payload: unknown): payload is string =>
  typeof payload === 'string' &&
  request.routeOptions.config.call?.isSecret !== true &&
  !reply.hasHeader('content-encoding') &&
  isLong(payload);

/** Counts bytes only where the number of characters does not decide. */
const isLong = (text: string): boolean =>
  text.length > MIN_BYTES || (text.length * 3 > MIN_BYTES && Buffer.byteLength(text) > MIN_BYTES);
