import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import type { ErrorAnswer } from '#contract/errors.ts';
import type { Refusal } from '../refusal.ts';

/** How many faults of one request are told. */
const MAX_DETAILS = 5;

/** What the framework refuses, in our words. */
type Words = readonly [code: string, message: string];
const UNREADABLE: Words = ['bad_request', '送信内容を読み取れませんでした。入力内容を確認してください。'];
const FRAMEWORK_MESSAGES: Record<number, Words> = {
  413: ['too_large', 'データが大きすぎます。'],
  414: ['uri_too_long', '条件が長すぎます。条件を減らしてください。'],
  415: ['unsupported_media_type', 'この形式のデータは受け付けられません。'],
};

export function sendRefusal(reply: FastifyReply, { status, code, message, retryAfter }: Refusal): FastifyReply {
  if (retryAfter !== undefined) reply.header('retry-after', Math.max(1, Math.ceil(retryAfter)));
  return sendError(reply, status, { message, code });
}

function sendError(reply: FastifyReply, status: number, answer: ErrorAnswer): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').serializer(JSON.stringify).send(answer);
}

/** The one place where errors become answers: bad input 4xx with what is wrong, everything else 500 without a word of why. */
export function addErrorAnswers(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (hasZodFastifySchemaValidationErrors(error)) {
      const details = error.validation.slice(0, MAX_DETAILS).map(({ instancePath, message }) => ({
        path: instancePath.slice(1).replaceAll('/', '.'),
        message: (message ?? '').slice(0, 100),
      }));
      const message = details.length === 1 && details[0] ? details[0].message : '入力内容に誤りがあります。';
      return sendError(reply, 400, { message, code: 'invalid_input', details });
    }
    const status = error.statusCode ?? 500;
    if (status >= 400 && status < 500) {
      const [code, message] = FRAMEWORK_MESSAGES[status] ?? UNREADABLE;
      return sendError(reply, status, { code, message });
    }
    request.log.error({ err: error }, 'request failed');
    return sendError(reply, 500, {
      code: 'internal_error',
      message: 'サーバーで問題が発生しました。時間をおいて、やり直してください。',
    });
  });
}
