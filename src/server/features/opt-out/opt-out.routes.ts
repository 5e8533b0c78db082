import { readFileSync } from 'node:fs';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '#domain/account/network.ts';
import { EXAMPLE_MAIL_KEY } from '#domain/law/refusal-place.ts';
import { OPT_OUT_REASONS } from '#domain/law/suppression.ts';
import { isDatabaseUnavailable } from '../../platform/database/db.ts';
import { isEncoded } from '../../platform/http/early-answers.ts';
import { answerError } from '../../platform/http/errors.ts';
import { type AccountHosts, hostOf } from '../../platform/http/hosts.ts';
import { PACKAGE } from '../../platform/package.ts';
import { refuseMail, showMail, undoRefusal } from './link.command.ts';
import { optOutPage, PAGE_PATH, STYLE_PATH } from './page.ts';
import type { OptOutServices, RefusalRequest, Shown } from './refuse.command.ts';
import { readMailKey } from './refused-mail.queries.ts';

const STYLE = readFileSync(PACKAGE.optOutStyle, 'utf8');

/** The page's form has some 60 bytes; requests of one-click clients are not much longer. */
const MAX_FORM_BYTES = 8 * 1024;
const RETRY_SECONDS = 60;

interface Services extends OptOutServices {
  /** Counts a request with an unknown key. Returns null, or the seconds to wait. */
  readonly unknownKeyRate: (network: string) => number | null;
  readonly accountHosts: Pick<AccountHosts, 'movedFrom'>;
}

const STATUS: Partial<Record<Shown['kind'], number>> = {
  unknown: 404,
  too_late: 409,
  too_often: 409,
  unavailable: 503,
};

/**
 * Adds the public page of opt-out links, `/u/KEY`. Whoever has the key may use it: there is no login, cookie or token.
 * GET changes nothing. POST opts out, whatever its body, type and encoding (RFC 8058), and is never redirected.
 * A known key is never limited: a large provider's one-click requests come from few networks.
 */
export async function addOptOutPage(app: FastifyInstance, services: Services): Promise<void> {
  await app.register(async (scope) => {
    takeAnyBody(scope);
    scope.setErrorHandler(answerFault);
    const url = `${PAGE_PATH}/*`;
    scope.get(STYLE_PATH, (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE));
    scope.route({
      method: ['GET', 'HEAD'],
      url,
      async handler(request, reply) {
        const { key } = readPath(request);
        const shown = await showKey(key, (known) =>
          showMail(services, known, hostOf(request.raw, request.originalUrl)),
        );
        if (shown.kind === 'elsewhere') return reply.redirect(`${shown.url}${PAGE_PATH}/${key}`, 307);
        return answer(services, request, reply, shown);
      },
    });
    scope.post(url, { bodyLimit: MAX_FORM_BYTES, config: { anyEncoding: true } }, async (request, reply) => {
      const { key, isUndo } = readPath(request);
      const act = (known: string) =>
        isUndo ? undoRefusal(services, known) : refuseMail(services, known, readRequest(request));
      return answer(services, request, reply, await showKey(key, act));
    });
  });
}

/** Reads every body as bytes, including types that Fastify would answer with 415. */
function takeAnyBody(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
  scope.decorateRequest('isForm', false);
  scope.addHook('onRequest', (request, _reply, next) => {
    const { headers } = request.raw;
    const isForm = /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers['content-type'] ?? '');
    // An encoded body is not decoded: it counts as no choice.
    request.isForm = isForm && !isEncoded(headers);
    headers['content-type'] = 'application/octet-stream';
    next();
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** On the opt-out page: whether the body is a readable form. */
    isForm?: boolean;
  }
}

/** Reads the reader's choice on the page. One-click clients choose nothing, and opt out the address. */
function readRequest({ body, isForm }: FastifyRequest): RefusalRequest {
  const form = new URLSearchParams(isForm && Buffer.isBuffer(body) ? body.toString('utf8') : '');
  return {
    source: form.get('way') === 'link' ? 'link' : 'one_click',
    wholeDomain: form.get('scope') === 'domain',
    reason: OPT_OUT_REASONS.find((reason) => reason === form.get('reason')) ?? null,
  };
}

/** Reads the key, and whether the request is an undo. */
function readPath({ params }: FastifyRequest): { readonly key: string | null; readonly isUndo: boolean } {
  const [segment = '', act] = String((params as { '*': string })['*']).split('/');
  return { key: readMailKey(segment), isUndo: act === 'undo' };
}

const showKey = async <S extends Shown | { readonly kind: 'elsewhere' }>(
  key: string | null,
  show: (key: string) => Promise<S>,
): Promise<S | Shown> => (key === null || key === EXAMPLE_MAIL_KEY ? withoutMail(key) : show(key));

function answer(
  { unknownKeyRate, accountHosts }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  shown: Shown,
): FastifyReply {
  const { key } = readPath(request);
  const wait = shown.kind === 'unknown' ? unknownKeyRate(networkOf(request.clientAddress)) : null;
  if (wait !== null) return sendPage(reply.code(429).header('retry-after', Math.max(1, Math.ceil(wait))), shown, '');
  // The mail is from the new home, whose host still leads here: the client's program retries.
  const isElsewhere = key !== null && accountHosts.movedFrom(hostOf(request.raw, request.originalUrl)) !== null;
  if (shown.kind === 'unknown' && isElsewhere) return sendUnavailable(reply);
  return sendPage(reply.code(STATUS[shown.kind] ?? 200), shown, key ?? '');
}

const withoutMail = (key: string | null): Shown => ({ kind: key === null ? 'unknown' : 'example' });

const sendPage = (reply: FastifyReply, shown: Shown, key: string): FastifyReply =>
  reply.header('x-robots-tag', 'noindex').type('text/html; charset=utf-8').send(optOutPage(shown, key));

/** Answers with the page while the database is away, so that mail programs retry. */
function answerFault(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!isDatabaseUnavailable(error)) return answerError(error, request, reply);
  request.log.error({ err: error }, 'the database is unavailable; the opt-out page answered 503');
  return sendUnavailable(reply);
}

const sendUnavailable = (reply: FastifyReply): FastifyReply =>
  sendPage(reply.code(503).header('retry-after', RETRY_SECONDS), { kind: 'unavailable' }, '');
