import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { parseJson } from '#domain/text/json.ts';
import { Problem } from '../problem.ts';

/** RFC 8259: JSON is UTF-8. JSON in another charset is refused as another media type. */
const MEDIA_TYPE = /^application\/json(?:; ?charset="?utf-8"?)?$/i;
/** The body of a call with `maxRawBytes`. */
const RAW_TYPE = 'application/octet-stream';

/** Refuses invalid UTF-8 instead of replacing it, and skips a byte order mark. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

const takesRaw = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.call?.maxRawBytes !== undefined;
const wrongType = (type: string) => new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(type);

/**
 * Accepts only JSON bodies, by the strict rules of domain/json.ts. An empty body counts as none.
 * Calls with `maxRawBytes` accept only bytes.
 */
export function addJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest('bytes');
  app.addContentTypeParser<Buffer>(MEDIA_TYPE, { parseAs: 'buffer' }, (request, bytes, done) => {
    if (takesRaw(request)) return done(wrongType('application/json'));
    request.bytes = bytes;
    const body = bytes.length === 0 ? undefined : readBody(bytes);
    // Fastify passes any value except null to the error handler.
    if (body instanceof Problem) done(body as unknown as Error);
    else done(null, body);
  });
  app.addContentTypeParser<Buffer>(RAW_TYPE, { parseAs: 'buffer' }, (request, bytes, done) => {
    if (!takesRaw(request)) return done(wrongType(RAW_TYPE));
    request.bytes = bytes;
    done(null, undefined);
  });
  // The type of an empty body is ignored, because axios declares an empty POST or PUT as a form.
  app.addHook('onRequest', ({ raw: { headers } }, _reply, next) => {
    const isEmpty = headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
    if (isEmpty) delete headers['content-type'];
    next();
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The raw bytes of the body; undefined without a body. */
    bytes?: Buffer;
  }
}

function readBody(bytes: Buffer): unknown {
  try {
    return parseJson(utf8.decode(bytes));
  } catch (error) {
    const message = error instanceof SyntaxError ? error.message : '文字コードをUTF-8にして、送り直してください。';
    return new Problem('invalid_json', message);
  }
}
