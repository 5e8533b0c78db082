import type { Call } from '#contract/call.ts';
import { idempotencyHeaders } from '#contract/wire.ts';
import { neededRole } from '#domain/account/role.ts';
import { MAX_BODY_BYTES, MAX_LARGE_BODY_BYTES, MAX_URL_LENGTH } from '#domain/limits.ts';

export interface ErrorCase {
  readonly code: string;
  readonly status: number;
  readonly when: string;
}

/** Returns whether the server reads a body of this call: for every method but GET, also where none is expected. */
const mayHaveBody = ({ method }: Call) => method !== 'GET';

/** The refusals common to many calls, and which calls they meet. Their messages are in platform/http/errors.ts. */
const COMMON_ERRORS: readonly (ErrorCase & { readonly meets: (call: Call) => boolean })[] = [
  {
    code: 'invalid_input',
    status: 400,
    when: 'パス・クエリ・ヘッダー・本文のどれかが、この呼び出しの形に合わないとき。`details` に場所と理由が入ります',
    meets: (call) => mayHaveBody(call) || [call.params, call.query, call.headers].some((part) => part !== undefined),
  },
  {
    code: 'invalid_json',
    status: 400,
    when: '本文をUTF-8のJSONとして読めないとき。同じ名前の項目が2つあるJSONも読みません',
    meets: mayHaveBody,
  },
  { code: 'bad_request', status: 400, when: 'リクエストを読み取れないとき', meets: () => true },
  {
    code: 'unauthorized',
    status: 401,
    when: 'トークンがない、正しくない、または有効期限が切れているとき',
    meets: ({ auth }) => auth === undefined,
  },
  {
    code: 'not_allowed',
    status: 403,
    when: 'メンバーに、この呼び出しの権限がないとき（いまのメンバーは全員が管理者で、この答えはありません）',
    // Every member may look.
    meets: ({ auth, method, needs }) => auth === undefined && neededRole(method, needs) !== 'viewer',
  },
  {
    code: 'not_found',
    status: 404,
    when: '対象がないか、ほかのアカウントのものであるとき（どちらであるかは返しません）',
    meets: ({ params }) => params !== undefined,
  },
  {
    code: 'request_timeout',
    status: 408,
    when: 'リクエストが時間内に届ききらないとき',
    meets: mayHaveBody,
  },
  {
    code: 'idempotency_key_reused',
    status: 409,
    when: '同じ Idempotency-Key が、別の内容で使われたとき',
    meets: ({ headers }) => headers === idempotencyHeaders,
  },
  {
    code: 'part_running',
    status: 409,
    when: 'アカウントのほかのファイルの部分を受け取っているとき。`Retry-After` の秒数を待って、もう一度送ってください',
    meets: ({ maxRawBytes }) => maxRawBytes !== undefined,
  },
  {
    code: 'too_large',
    status: 413,
    when:
      `本文が${MAX_BODY_BYTES / 1024}KB（アタックリスト、テンプレート、SendGridのイベントを受け取る呼び出しでは` +
      `${MAX_LARGE_BODY_BYTES / 1024 / 1024}MB）を超えているとき`,
    meets: mayHaveBody,
  },
  {
    code: 'uri_too_long',
    status: 414,
    when: `URLが${MAX_URL_LENGTH.toLocaleString('ja-JP')}文字を超えているとき`,
    meets: ({ query }) => query !== undefined,
  },
  {
    code: 'unsupported_media_type',
    status: 415,
    when: '本文が `application/json`（ファイルを受け取る呼び出しでは `application/octet-stream`）ではないか、圧縮されているとき',
    meets: mayHaveBody,
  },
  {
    code: 'misdirected_request',
    status: 421,
    when: '`Host` ヘッダーのホストが、このサーバーのもの（`PUBLIC_URL`、`ALLOWED_HOSTS`、`localhost` など）でないとき',
    meets: () => true,
  },
  {
    code: 'too_many_requests',
    status: 429,
    when: '1分あたりの呼び出しの数が上限を超えたとき。`Retry-After` の秒数を待ってください',
    meets: () => true,
  },
  {
    code: 'too_many_at_once',
    status: 429,
    when: '同じアカウントの呼び出しが多く、データベースの順番を待ちきれないとき。何も行っていません。`Retry-After` の秒数を待ってください',
    meets: ({ auth }) => auth === undefined,
  },
  { code: 'headers_too_long', status: 431, when: 'URLとヘッダーが長すぎるとき', meets: () => true },
  { code: 'internal_error', status: 500, when: 'サーバーで問題が起きたとき', meets: () => true },
  {
    code: 'busy',
    status: 503,
    when: 'サーバーが混み合っているとき。`Retry-After` の秒数を待ってください',
    meets: () => true,
  },
  {
    code: 'too_slow',
    status: 503,
    when: 'データベースでの処理に時間がかかりすぎたとき。条件を絞るか件数を減らし、`Retry-After` の秒数を待ってください',
    meets: () => true,
  },
  {
    code: 'account_frozen',
    status: 503,
    when: 'アカウントのデータをほかのサーバーに移行しているとき。`Retry-After` の秒数を待ってください',
    meets: () => true,
  },
  {
    code: 'new_version',
    status: 503,
    when: 'サーバーを新しい版に切り替えているとき。`Retry-After` の秒数を待ってください',
    meets: () => true,
  },
  {
    code: 'database_unavailable',
    status: 503,
    when: 'データベースが止まっているか、書き込めない状態（読み取り専用など）のとき。`Retry-After` の秒数を待ってください',
    meets: () => true,
  },
  {
    code: 'storage_full',
    status: 503,
    when: 'サーバーの保存場所がいっぱいのとき。何も変わっていません。管理者に連絡してください',
    meets: () => true,
  },
];

/**
 * Returns all refusals of a call, sorted by status. The call's own come before the common ones, and replace those with
 * the same code.
 */
export function errorsOf(call: Call): ErrorCase[] {
  const own = Object.entries(call.errors ?? {}).map(([code, { status, when }]) => ({ code, status, when }));
  const common = COMMON_ERRORS.filter(({ code, meets }) => meets(call) && !call.errors?.[code]);
  return [...own, ...common.map(({ code, status, when }) => ({ code, status, when }))].sort(
    (one, other) => one.status - other.status,
  );
}

/** Returns whether the refusal is defined here, and so is the same for every call. */
export const isCommon = ({ code, when }: Pick<ErrorCase, 'code' | 'when'>): boolean =>
  COMMON_ERRORS.some((error) => error.code === code && error.when === when);
