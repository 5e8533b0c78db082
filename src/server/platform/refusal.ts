import type { ErrorAnswer } from '#contract/errors.ts';

/**
 * An expected "no", returned as a value; http/errors.ts turns it into an answer. `message` is Japanese and tells the
 * user what to do, `code` is stable.
 */
export class Refusal {
  readonly status: 400 | 401 | 404 | 409 | 413 | 429 | 503;
  readonly code: string;
  readonly message: string;
  /** Seconds until asking again is worth it (429, 503). */
  readonly retryAfter: number | undefined;
  readonly details: ErrorAnswer['details'];

  constructor(
    status: Refusal['status'],
    code: string,
    message: string,
    retryAfter?: number,
    details?: ErrorAnswer['details'],
  ) {
    this.status = status;
    this.code = code;
    this.message = message;
    this.retryAfter = retryAfter;
    this.details = details;
  }
}

/**
 * A field of the body that only the server can judge.
 * @param path as in the answers to what the schema refuses: `update_info.name`
 */
export const fieldRefusal = (path: string, code: string, message: string) =>
  new Refusal(400, code, message, undefined, [{ path, message }]);

/** Not there and not yours: one answer, so that nobody learns what others have. */
export const notFound = () => new Refusal(404, 'not_found', '対象が見つかりません。画面を読み込み直してください。');
