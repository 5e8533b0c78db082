import type { ErrorAnswer } from '#contract/wire.ts';

/**
 * An expected refusal, returned as a value; http/errors.ts converts it into an answer.
 * `message` is Japanese and names the remedy; `code` is stable.
 */
export class Problem {
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 422 | 429 | 503;
  readonly code: string;
  readonly message: string;
  /** Seconds until a retry makes sense (`part_running`, 429, 503). */
  readonly retryAfter: number | undefined;
  readonly details: ErrorAnswer['details'];

  constructor(
    status: Problem['status'],
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
 * Refuses a field of the body that only the server can check.
 * @param path as in the answers to faults of the schema: `update_info.name`
 */
export const fieldProblem = (path: string, code: string, message: string) =>
  new Problem(400, code, message, undefined, [{ path, message }]);

/** Refuses a field whose value is valid, and conflicts with what is stored. */
export const fieldConflict = (path: string, code: string, message: string) =>
  new Problem(409, code, message, undefined, [{ path, message }]);

const RETRY_STORAGE_SECONDS = 60;
const RETRY_PART_SECONDS = 1;

/** Nothing was stored, because a disk of the operator is full. */
export const storageFull = () =>
  new Problem(
    503,
    'storage_full',
    'サーバーの保存場所がいっぱいで、保存できませんでした。何も変わっていません。管理者に連絡し、空きができてから、やり直してください。',
    RETRY_STORAGE_SECONDS,
  );

const RETRY_VERSION_SECONDS = 5;

/** This process is about to end, as the database is of a newer version; another one answers soon. */
export const newVersionStarts = () =>
  new Problem(
    503,
    'new_version',
    '新しい版に切り替えています。少し待ってから、やり直してください。',
    RETRY_VERSION_SECONDS,
  );

/** Another part of a file is being received of the account. It is sent again once that one has ended. */
export const partRunning = () =>
  new Problem(
    409,
    'part_running',
    'ほかのファイルの送信を受け取っています。終わるまで少し待ってから、もう一度送ってください。',
    RETRY_PART_SECONDS,
  );

/** Refuses a missing row and another account's row alike, so that nobody learns which ids exist. */
export const notFound = () => new Problem(404, 'not_found', '対象が見つかりません。画面を読み込み直してください。');
