import type { FastifyInstance } from 'fastify';
import { parseJson } from '#domain/json.ts';
import { Refusal } from '../refusal.ts';

/** RFC 8259: JSON is UTF-8. Another charset is another media type to us. */
const MEDIA_TYPE = /^application\/json(?:; ?charset="?utf-8"?)?$/i;

/** Bytes that are no UTF-8 are refused rather than replaced by question marks. A byte order mark is skipped. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The only bodies that are read: JSON by the strict rules of domain/json.ts. An empty one is none. */
export function addJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest('bytes');
  app.addContentTypeParser<Buffer>(MEDIA_TYPE, { parseAs: 'buffer' }, (request, bytes, done) => {
    request.bytes = bytes;
    const body = bytes.length === 0 ? undefined : readBody(bytes);
    // Fastify gives whatever is no null to the error handler.
    if (body instanceof Refusal) done(body as unknown as Error);
    else done(null, body);
  });
  // A type without a body says nothing; axios calls a POST or PUT that has none a form.
  app.addHook('onRequest', ({ raw: { headers } }, _reply, next) => {
    const isEmpty = headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
    if (isEmpty) delete headers['content-type'];
    next();
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it came; undefined without one. */
    bytes?: Buffer;
  }
}

function readBody(bytes: Buffer): unknown {
  try {
    return parseJson(utf8.decode(bytes));
  } catch (error) {
    const message = error instanceof SyntaxError ? error.message : '文字コードをUTF-8にして、送り直してください。';
    return new Refusal(400, 'invalid_json', message);
  }
}
