import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { ERRORS, type ErrorCode } from '#contract/errors.ts';
import type { ErrorAnswer } from '#contract/wire.ts';
import { StatementTooSlow } from '../database/account-db.ts';
import { isDatabaseUnavailable, isDiskFull } from '../database/db.ts';
import { accountFrozen, isAccountFrozen } from '../database/frozen.ts';
import { TooManyAtOnce } from '../limits/account-limits.ts';
import { notFound, Problem, storageFull } from '../problem.ts';

/** The most faults in one answer, the most characters of each, and the most bytes of the answer. */
const MAX_DETAILS = 5;
const MAX_DETAIL_LENGTH = 100;
const MAX_ANSWER_BYTES = 1000;
const RETRY_DATABASE_SECONDS = 5;
const RETRY_SLOW_SECONDS = 30;
const RETRY_AT_ONCE_SECONDS = 5;
/** nginx's status, for the log and the metrics. */
const CLIENT_CLOSED_REQUEST = 499;

/** The messages of refusals outside of calls, by code. */
const SERVER_MESSAGES = {
  bad_request: '送信内容を読み取れませんでした。入力内容を確認してください。',
  request_timeout: '通信に時間がかかりすぎたため、中断しました。もう一度やり直してください。',
  too_large: 'データが大きすぎます。小さくして、やり直してください。',
  uri_too_long: '条件が長すぎます。条件を減らしてください。',
  unsupported_media_type: 'この形式のデータは受け付けられません。JSON（UTF-8、圧縮なし）で送ってください。',
  misdirected_request:
    'このアドレスでは利用できません。案内されたアドレスを開いてください。管理者の方は、PUBLIC_URL か ALLOWED_HOSTS にこのホストを設定してください。',
  headers_too_long: 'リクエストのURLまたはヘッダーが長すぎます。短くして、やり直してください。',
  internal_error: 'サーバーで問題が発生しました。時間をおいて、やり直してください。',
  busy: 'サーバーが混み合っています。少し待ってから、やり直してください。',
} satisfies Partial<Record<ErrorCode, string>>;

/** Makes the answer for a status from outside of calls, such as from the HTTP parser. */
export function errorAnswer(status: number): ErrorAnswer {
  const codes = Object.keys(SERVER_MESSAGES) as (keyof typeof SERVER_MESSAGES)[];
  const code = codes.find((one) => ERRORS[one][0] === status) ?? 'bad_request';
  return { message: SERVER_MESSAGES[code], code };
}

export function sendProblem(reply: FastifyReply, { code, message, retryAfter, details }: Problem): FastifyReply {
  if (retryAfter !== undefined) reply.header('retry-after', Math.max(1, Math.ceil(retryAfter)));
  return sendError(reply, ERRORS[code][0], { message, code, ...(details && { details }) });
}

/** Answers with the code and message of a status. */
export const sendStatus = (reply: FastifyReply, status: number): FastifyReply =>
  sendError(reply, status, errorAnswer(status));

function sendError(reply: FastifyReply, status: number, answer: ErrorAnswer): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').serializer(JSON.stringify).send(shortened(answer));
}

/** Shortens faults to the size limits: clients choose the names and texts in them. */
function shortened({ details, ...answer }: ErrorAnswer): ErrorAnswer {
  if (details === undefined) return answer;
  const shown = details.slice(0, MAX_DETAILS).map(({ path, message }) => ({
    path: path.slice(0, MAX_DETAIL_LENGTH),
    message: message.slice(0, MAX_DETAIL_LENGTH),
  }));
  while (shown.length > 0 && Buffer.byteLength(JSON.stringify({ ...answer, details: shown })) > MAX_ANSWER_BYTES)
    shown.pop();
  return { ...answer, details: shown };
}

/**
 * Turns every error into an answer. Bad input gets 4xx with its faults, everything else 500 without its cause. A body
 * parser can only throw a Problem, so that arrives here too.
 */
export function answerError(error: FastifyError | Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof Problem) return sendProblem(reply, error);
  if (hasZodFastifySchemaValidationErrors(error)) return sendError(reply, 400, invalidInput(error.validation));
  // The account was frozen after its session was read, or the call is public.
  if (isAccountFrozen(error)) return sendProblem(reply, accountFrozen());
  const fault = DATABASE_FAULTS.find(({ is }) => is(error));
  if (fault) {
    request.log.error({ err: error }, fault.log);
    return sendProblem(reply, fault.problem());
  }
  if (error instanceof StatementTooSlow) {
    request.log.warn({ ...whose(error, request, reply), err: error }, 'a statement was cancelled at its time limit');
    return sendProblem(reply, tooSlow());
  }
  // The client has closed its connection, which aborted work with the request's signal. Nobody reads the answer.
  if (request.socket.destroyed && (error.name === 'AbortError' || error instanceof TooManyAtOnce))
    return sendStatus(reply, CLIENT_CLOSED_REQUEST);
  if (error instanceof TooManyAtOnce) {
    request.log.warn(whose(error, request, reply), 'refused: too many calls of the account wait for the database');
    return sendProblem(reply, tooManyAtOnce());
  }
  const status = error.statusCode ?? 500;
  // @fastify/static throws 403 for a path that leaves its folder.
  if (status === 403) return sendProblem(reply, notFound());
  if ((status >= 400 && status < 500) || status === 503) return sendStatus(reply, status);
  request.log.error({ err: error }, 'request failed');
  return sendStatus(reply, 500);
}

/** The log fields of a call that was aborted for its account's use of the database. */
const whose = (
  { accountId }: StatementTooSlow | TooManyAtOnce,
  { method, routeOptions: { url } }: FastifyRequest,
  { elapsedTime }: FastifyReply,
) => ({ account: accountId, call: `${method} ${url}`, ms: Math.round(elapsedTime) });

const tooSlow = () =>
  new Problem(
    'too_slow',
    '時間がかかりすぎたため、中断しました。条件を絞るか件数を減らして、もう一度お試しください。',
    RETRY_SLOW_SECONDS,
  );

const tooManyAtOnce = () =>
  new Problem(
    'too_many_at_once',
    '同時に行っている操作が多すぎるため、この操作を行えませんでした。少し待ってから、もう一度お試しください。',
    RETRY_AT_ONCE_SECONDS,
  );

const databaseUnavailable = () =>
  new Problem(
    'database_unavailable',
    'ただいまデータを読み書きできません。入力した内容はそのままにして、しばらくしてからやり直してください。',
    RETRY_DATABASE_SECONDS,
  );

const DATABASE_FAULTS = [
  { is: isDiskFull, log: 'a disk is full; nothing was stored', problem: storageFull },
  { is: isDatabaseUnavailable, log: 'the database cannot be used', problem: databaseUnavailable },
];

export const addErrorAnswers = (app: FastifyInstance): FastifyInstance => app.setErrorHandler(answerError);

function invalidInput(faults: readonly { instancePath: string; message?: string | undefined }[]): ErrorAnswer {
  const details = faults.map(({ instancePath, message = '' }) => ({
    path: instancePath.slice(1).replaceAll('/', '.'),
    message,
  }));
  const [first, ...others] = details;
  const message =
    first && others.length === 0
      ? first.message.slice(0, MAX_DETAIL_LENGTH)
      : '入力に誤りがあります。修正してください。';
  return { message, code: 'invalid_input', details };
}
