import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { MarkedBody } from './marked-body.ts';
import type { SendGridSettings } from './sendgrid-settings.ts';

/** What SendGrid said to a request of /v3/mail/send. */
export interface SendGridAnswer {
  readonly status: number;
  /** x-message-id: SendGrid's own name of what it took. */
  readonly messageId: string | null;
  /** `field`: `personalizations.3.to.0.email`, `from.email`; null where it is about no field. */
  readonly errors: readonly { readonly message: string; readonly field: string | null }[];
  /** How long it wants to be left alone (Retry-After); null: it names no time. */
  readonly retryAfter: number | null;
  /** When the next requests are counted anew (X-RateLimit-Reset), in seconds from now; null: it does not say. */
  readonly rateReset: number | null;
}

/** How long a request may take, in milliseconds. */
export interface SendGridTimes {
  /** Connecting and TLS together. */
  readonly openMs: number;
  /** From the start to the answer. */
  readonly answerMs: number;
}

export const SENDGRID_TIMES: SendGridTimes = { openMs: 30_000, answerMs: 5 * 60_000 };

/** More of an answer is not read. */
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Posts a body on a connection of its own: one that was kept might be closed by the server at the moment we write, and
 * nobody could say what it had read. The body is first read, which commits the mark, when the connection stands; its
 * stage tells how far it came.
 * @param signal ends it, wherever it is
 * @throws what ended it without an answer: ClaimLost, MarkFailed, or a fault of the link
 */
export function postMail(
  { url, apiKey }: SendGridSettings,
  body: MarkedBody,
  times: SendGridTimes = SENDGRID_TIMES,
  signal?: AbortSignal,
): Promise<SendGridAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<SendGridAnswer>();
  const isSecure = url.protocol === 'https:';
  const request = (isSecure ? httpsRequest : httpRequest)(new URL('/v3/mail/send', url), {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'content-length': body.length,
    },
  });
  const end = (error: Error) => {
    body.destroy();
    request.destroy(error);
  };
  const opening = setTimeout(() => end(new Error('no connection in time')), times.openMs);
  const answering = setTimeout(() => end(new Error('no answer in time')), times.answerMs);
  const cut = () => end(new Error('the connection was closed by us'));
  signal?.addEventListener('abort', cut, { once: true });
  request.once('socket', (socket) =>
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      clearTimeout(opening);
      body.stage = 'envelope';
      body.pipe(request);
    }),
  );
  body.once('error', end);
  // It may be told of more than one; the first that was told stays.
  request.on('error', reject);
  request.once('response', (response) => void readAnswer(response, apiKey).then(resolve));
  return promise.finally(() => {
    clearTimeout(opening);
    clearTimeout(answering);
    signal?.removeEventListener('abort', cut);
    // An answer that came before the end of the body (a refusal) leaves nothing to be said.
    body.destroy();
    request.destroy();
  });
}

/** The status is what counts: an answer that breaks off behind it has been given. */
async function readAnswer(response: IncomingMessage, secret: string): Promise<SendGridAnswer> {
  const { statusCode = 0, headers } = response;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) break;
    }
  } catch {
    // What there is of it must do.
  }
  const messageId = headers['x-message-id'];
  return {
    status: statusCode,
    messageId: typeof messageId === 'string' ? messageId : null,
    // Whatever sends our own key back to us: people read these words.
    errors: readErrors(Buffer.concat(chunks).toString('utf8').replaceAll(secret, '***')),
    retryAfter: readRetryAfter(headers),
    rateReset: readRateReset(headers),
  };
}

/**
 * `{ "errors": [{ "message", "field", "help" }] }`; whatever else there is, of a proxy say, is no error of SendGrid's.
 */
function readErrors(text: string): SendGridAnswer['errors'] {
  let errors: unknown;
  try {
    ({ errors } = JSON.parse(text) as { errors?: unknown });
  } catch {
    return [];
  }
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((error: unknown) => {
    const { message, field } = (error ?? {}) as { message?: unknown; field?: unknown };
    return typeof message === 'string' ? [{ message, field: typeof field === 'string' ? field : null }] : [];
  });
}

function readRetryAfter(headers: IncomingMessage['headers']): number | null {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return seconds >= 0 ? seconds : null;
}

/** A time in epoch seconds: by the server's own clock, where it tells that. */
function readRateReset(headers: IncomingMessage['headers']): number | null {
  const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN);
  if (!(reset > 0)) return null;
  const now = Date.parse(headers.date ?? '') || Date.now();
  return Math.max(0, reset - now / 1000);
}
