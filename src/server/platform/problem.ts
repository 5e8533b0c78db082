import { ERRORS, type ErrorCode } from '#contract/errors.ts';
import type { ErrorAnswer } from '#contract/wire.ts';

/** Codes that a command prints or a job records. They have no status, so that the compiler lets no call answer them. */
export type CommandCode =
  | 'arrival_failed'
  | 'arriving'
  | 'copy_differs'
  | 'deleted_here'
  | 'has_faults'
  | 'heading_missing'
  | 'home_away'
  | 'host_not_offered'
  | 'host_taken'
  | 'invalid_email'
  | 'invalid_host'
  | 'invalid_name'
  | 'invalid_sendgrid_template'
  | 'left_later'
  | 'lives_on'
  | 'lives_there'
  | 'missing_rights'
  | 'moved'
  | 'moved_lately'
  | 'moved_on'
  | 'moving'
  | 'no_host'
  | 'no_rows'
  | 'not_csv'
  | 'not_frozen'
  | 'not_moved'
  | 'not_there'
  | 'other_schema'
  | 'other_secret_key'
  | 'rewound'
  | 'same_database'
  | 'still_active'
  | 'still_held'
  | 'taken_there'
  | 'target_full'
  | 'thawed_meanwhile'
  | 'truncated'
  | 'unclosed_quote'
  | 'unknown_field';

/**
 * An expected refusal, returned as a value. http/errors.ts converts it into an answer, with its code's status.
 * `message` is Japanese and names the remedy; `code` is stable.
 */
export class Problem<Code extends ErrorCode | CommandCode = ErrorCode> {
  readonly code: Code;
  readonly message: string;
  /** Seconds until a retry makes sense (`part_running`, 429, 503). */
  readonly retryAfter: number | undefined;
  readonly details: ErrorAnswer['details'];

  constructor(code: Code, message: string, retryAfter?: number, details?: ErrorAnswer['details']) {
    this.code = code;
    this.message = message;
    this.retryAfter = retryAfter;
    this.details = details;
  }
}

/** A refusal of a command or a job. */
export type Refusal = Problem<ErrorCode | CommandCode>;

/** Returns whether a call may answer with it. */
export const isOfCalls = (refusal: Refusal): refusal is Problem => refusal.code in ERRORS;

/**
 * Refuses a body field that only the server can check, or that conflicts with stored data.
 * @param path as in schema errors: `update_info.name`
 */
export const fieldProblem = (path: string, code: ErrorCode, message: string) =>
  new Problem(code, message, undefined, [{ path, message }]);

const RETRY_STORAGE_SECONDS = 60;
const RETRY_PART_SECONDS = 1;

/** The refusal of data for which an operator's disk is full. */
export const storageFull = () =>
  new Problem(
    'storage_full',
    'サーバーの保存場所がいっぱいで、保存できませんでした。何も変わっていません。管理者に連絡し、空きができてから、やり直してください。',
    RETRY_STORAGE_SECONDS,
  );

const RETRY_VERSION_SECONDS = 5;

/** The refusal while this process stops for a newer database version. Another process answers soon. */
export const newVersionStarts = () =>
  new Problem('new_version', '新しい版に切り替えています。少し待ってから、やり直してください。', RETRY_VERSION_SECONDS);

/** The refusal while another part of a file of the account is being received. It can be sent again afterwards. */
export const partRunning = () =>
  new Problem(
    'part_running',
    'ほかのファイルの送信を受け取っています。終わるまで少し待ってから、もう一度送ってください。',
    RETRY_PART_SECONDS,
  );

/** Refuses a missing row and another account's row alike, so that existing ids are not revealed. */
export const notFound = () => new Problem('not_found', '対象が見つかりません。画面を読み込み直してください。');

/** Refuses a member from a network that the account does not permit. Not 401: inside, the session goes on. */
export const networkNotAllowed = () =>
  new Problem('network_not_allowed', 'この場所からは使えません。許可されたネットワークから開いてください。');

/** Refuses a member who must set up a second step first. Not 401: that would end the session that sets it up. */
export const twoFactorSetup = () =>
  new Problem(
    'two_factor_setup',
    '管理者が全員に二段階認証を求めています。アカウントの「セキュリティ」で設定してから、お使いください。',
  );

/** Refuses a request without a session. The client ends its own then (the specification's §8). */
export const unauthorized = () =>
  new Problem('unauthorized', 'ログインの有効期限が切れました。もう一度ログインしてください。');
