import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { MarkedBody } from '../smtp/marked-body.ts';
import type { SendGridSettings } from './settings.ts';

/** SendGrid's answer to a request of /v3/mail/send. */
export interface SendGridAnswer {
  readonly status: number;
  /** x-message-id: SendGrid's own id of the accepted request. */
  readonly messageId: string | null;
  /** `field`: `personalizations.3.to.0.email`, `from.email`; null if the error names none. */
  readonly errors: readonly { readonly message: string; readonly field: string | null }[];
  /** Seconds to wait before the next request (Retry-After); null: not given. */
  readonly retryAfter: number | null;
  /** Seconds until SendGrid's rate limit resets (X-RateLimit-Reset); null: not given. */
  readonly rateReset: number | null;
}

/** The time limits of a request, in milliseconds. */
export interface SendGridTimes {
  /** Connecting and TLS together. */
  readonly openMs: number;
  /** From the start to the answer. */
  readonly answerMs: number;
}

export const SENDGRID_TIMES: SendGridTimes = { openMs: 30_000, answerMs: 5 * 60_000 };

/** The most bytes that are read of an answer. */
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Posts a body on a new connection. The server could close a kept connection during a write, and what it had read would
 * be unknown. The body is first read once the connection is open, which commits the mark; its stage shows how far it
 * was sent.
 * @param signal aborts the request at any stage
 * @throws the cause if no answer came: ClaimLost, MarkFailed, or a fault of the connection
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
  // Several errors may arrive; the promise keeps the first.
  request.on('error', reject);
  request.once('response', (response) => void readAnswer(response, apiKey).then(resolve));
  return promise.finally(() => {
    clearTimeout(opening);
    clearTimeout(answering);
    signal?.removeEventListener('abort', cut);
    // After an early answer (a refusal) the rest of the body is not sent.
    body.destroy();
    request.destroy();
  });
}

/** Reads an answer. Its status decides, so that one that breaks off afterwards still counts. */
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
    // Uses the part of the answer that arrived.
  }
  const messageId = headers['x-message-id'];
  return {
    status: statusCode,
    messageId: typeof messageId === 'string' ? messageId : null,
    // The key is masked: users read these messages, and the server may echo it.
    errors: readErrors(Buffer.concat(chunks).toString('utf8').replaceAll(secret, '***')),
    retryAfter: readRetryAfter(headers),
    rateReset: readRateReset(headers),
  };
}

/** Reads `{ "errors": [{ "message", "field", "help" }] }`. Another body, such as a proxy's, yields no errors. */
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

/** Returns the seconds until an epoch time, by the server's own clock if it sends a Date. */
function readRateReset(headers: IncomingMessage['headers']): number | null {
  const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN);
  if (!(reset > 0)) return null;
  const now = Date.parse(headers.date ?? '') || Date.now();
  return Math.max(0, reset - now / 1000);
}
