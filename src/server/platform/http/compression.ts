import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nextSlice } from '../turns.ts';

/** Answers up to this size stay uncompressed. Their headers are most of their bytes. */
const MIN_BYTES = 1024;

/** Longer answers are compressed in another turn of the event loop than they were serialised in. */
const TURN_CHARACTERS = 500_000;

const [asBrotli, asGzip] = [promisify(brotliCompress), promisify(gzip)];

/** Fast levels: 50 companies shrink to a tenth in a third of a millisecond, off the event loop. */
const ENCODERS = {
  br: (text: string) => asBrotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  gzip: (text: string) => asGzip(text, { level: 1 }),
};
const STREAM_ENCODERS = {
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  gzip: () => createGzip({ level: 1 }),
};
const ENCODINGS = Object.keys(ENCODERS) as (keyof typeof ENCODERS)[];

/**
 * Compresses finished answers of more than MIN_BYTES in an encoding that the client accepts. Answers with a secret stay
 * uncompressed: beside text chosen by an attacker, their length would reveal the secret letter by letter (BREACH). Of
 * streams only long lists are compressed: events must be flushed at once, and files were compressed at the build
 * (web-files.ts).
 */
export function addCompression(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, next) => {
    if (!mayCompress(request, reply, payload)) return next();
    reply.header('vary', 'accept-encoding');
    const encoding = negotiate(request.headers['accept-encoding']?.toLowerCase() ?? '', ENCODINGS);
    if (encoding === null) return next();
    if (payload instanceof Readable) {
      reply.header('content-encoding', encoding);
      // Fastify logs and handles an early end of the stream.
      return next(
        null,
        pipeline(payload, STREAM_ENCODERS[encoding](), () => {}),
      );
    }
    const ownTurn = payload.length > TURN_CHARACTERS ? nextSlice() : Promise.resolve();
    ownTurn
      .then(() => ENCODERS[encoding](payload))
      .then((encoded) => {
        reply.header('content-encoding', encoding);
        next(null, encoded);
      }, next);
  });
}

const mayCompress = (request: FastifyRequest, reply: FastifyReply, payload: unknown): payload is string | Readable => {
  const { call } = request.routeOptions.config;
  if (call?.isSecret || reply.hasHeader('content-encoding')) return false;
  return typeof payload === 'string' ? isLong(payload) : call?.isList === true && payload instanceof Readable;
};

/** Counts bytes only if the number of characters is not decisive. */
const isLong = (text: string): boolean =>
  text.length > MIN_BYTES || (text.length * 3 > MIN_BYTES && Buffer.byteLength(text) > MIN_BYTES);
