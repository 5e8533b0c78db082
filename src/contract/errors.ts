import { MAX_IMPORT_COLUMNS } from '#domain/company/import-limits.ts';
import {
  DOMAIN_CHECKS_PER_MINUTE,
  MAILBOX_CHECKS_PER_DAY,
  MAILBOX_CHECKS_PER_MINUTE,
  MAX_BODY_BYTES,
  MAX_LARGE_BODY_BYTES,
  MAX_URL_LENGTH,
} from '#domain/limits.ts';
import { CONFLICTS } from './conflicts.ts';

type Status = 400 | 401 | 403 | 404 | 408 | 409 | 413 | 414 | 415 | 421 | 422 | 429 | 431 | 500 | 503;

/**
 * The codes of refusals, each with its status and its case. The server takes the status from here, and the reference
 * takes both. A call with a narrower case has its own text (`errors` of call.ts). The message to the user is written
 * where the refusal is made.
 */
export const ERRORS = {
  above_limit: [400, '送信速度か1日の通数が、管理者の決めた上限か、メールボックスの種類の上限を超えるとき'],
  bad_request: [400, 'リクエストを読み取れないとき'],
  broken_workbook: [400, 'ブックが壊れているとき'],
  client_secret_needed: [400, 'クライアントシークレットがまだないか、IssuerかクライアントIDを変えるときに、省いたとき'],
  consent_failed: [
    400,
    '許可を受け取れなかったとき（`state` が使われた、期限が切れた、ほかの人のもの、提供元が断った、など。どれであるかは返しません）',
  ],
  closed_day: [
    400,
    '送信時間外の日時で、送信ルールが次の送信時間まで待つとき（`details` の `next_open_at` が、次に送信できる日時です）',
  ],
  duplicate_column: [400, '同じ項目に2つの列が対応しているとき'],
  empty_file: [400, 'ファイルが空のとき'],
  empty_part: [400, '中身がないか、登録した大きさを超えるとき'],
  encrypted: [400, 'パスワードのかかったファイルのとき'],
  invalid_candidate_date: [400, '候補日に誤りがあるか、送信が始まる日時より前に終わるとき'],
  invalid_code: [400, '認証アプリの数字か復旧コードが違うとき'],
  invalid_company: [400, '読めない値があるとき（`details` に項目と理由）'],
  invalid_confirmation: [
    400,
    '値が正しくない、使われた、期限が切れた、またはメールアドレスが変わったとき（どれであるかは返しません）',
  ],
  invalid_host: [400, 'サーバーの名前かポートとして使えないとき'],
  invalid_domain: [400, 'ドメインとして読み取れないとき'],
  invalid_input: [
    400,
    'パス・クエリ・ヘッダー・本文のどれかが、この呼び出しの形に合わないとき。`details` に場所と理由が入ります',
  ],
  invalid_issuer: [400, 'Issuerとして使えないか、提供元の設定情報を読み取れないとき'],
  invalid_json: [400, '本文をUTF-8のJSONとして読めないとき。同じ名前の項目が2つあるJSONも読みません'],
  invalid_key: [
    400,
    '値が正しくない、使われた、期限が切れた、または新しいものに替わったとき（どれであるかは返しません）',
  ],
  invalid_password: [400, '新しいパスワードが推測されやすいとき'],
  invalid_person: [400, '人の、読めない値があるか、値が1つもないとき（`details` に項目と理由）'],
  invalid_period: [400, '期間が逆か、長すぎるとき'],
  invalid_send_at: [400, '予約できない日時のとき'],
  invalid_sent_at: [400, '送信日時が未来か、古すぎるとき'],
  invalid_template: [400, 'テンプレートからメールを作れないとき'],
  invalid_test_address: [400, 'テスト送信先（company_email）がメールアドレスでないとき'],
  invalid_ticket: [
    400,
    '引換券が正しくない、使われた、期限が切れた、またはメールアドレスが `email_before_confirmation` と違うとき',
  ],
  limit_missing: [400, '1日の上限がないのに、`per_day` を省いて増やし方だけを指定したとき'],
  macros: [400, 'マクロを含むブックのとき'],
  no_company_name_column: [400, '「会社名」に対応する列がないとき'],
  no_member: [400, '会社のIDに合うメンバーがいないとき'],
  no_open_day: [400, '送信できる日が1年以上なくなるとき'],
  no_pending_email: [400, '確認を待っているメールアドレスがないとき'],
  no_remarks_group: [400, '備考に対応する列があり、`sender_group_id` がないとき'],
  no_sendgrid_template: [400, 'SendGridで送る設定で、テンプレートにSendGridのテンプレートIDがないとき'],
  not_a_table: [400, '表として読めないファイルのとき'],
  not_calculated: [400, '計算結果が保存されていない数式があるとき'],
  not_confirmed: [400, 'そのメールアドレスが確認されていないか、確認から15分が過ぎたとき'],
  nothing_left: [400, '対象の会社がなくなるとき'],
  oidc_failed: [400, '会社のIDでのログインが、できないか、確かめられなかったとき（どうしてであるかは返しません）'],
  password_needed: [400, 'ログインから15分が過ぎていて、`current_password` がないとき'],
  same_email: [400, '新しいメールアドレスが現在のものと同じとき'],
  sheet_missing: [400, '指定したシートがないとき'],
  too_many_columns: [400, `列が${MAX_IMPORT_COLUMNS}を超えるとき`],
  too_wide_domain: [400, '`@co.jp` のような、1つの会社のものではないドメインのとき'],
  unknown_encoding: [400, '文字コードが、UTF-8でもShift_JISでもないとき'],
  unreadable_file: [400, 'ファイルをCSVかxlsxとして読めないか、行が多すぎるとき'],
  wrong_password: [400, '現在のパスワードが違うとき'],
  code_needed: [401, 'パスワードは正しく、二段階認証の `code` がないとき'],
  invalid_signature: [401, '署名がないか、正しくないか、古いとき'],
  unauthorized: [401, 'トークンがない、正しくない、または有効期限が切れているとき'],
  wrong_code: [401, 'パスワードは正しく、二段階認証の `code` が違うとき'],
  wrong_credentials: [
    401,
    'メールアドレスかパスワードが違うとき（どちらが違うかは返しません）。アカウント専用のホストでは、ほかのアカウントのメンバーも',
  ],
  network_not_allowed: [403, 'アカウントの管理者が許可したネットワークではないとき'],
  not_allowed: [403, 'メンバーの権限では、この呼び出しか、送った項目の変更ができないとき'],
  not_in_group: [403, 'メンバーが操作できる送信者グループではないとき'],
  two_factor_setup: [403, '管理者が全員に二段階認証を求めていて、まだ設定していないとき'],
  not_found: [404, '対象がないか、ほかのアカウントのものであるとき（どちらであるかは返しません）'],
  request_timeout: [408, 'リクエストが時間内に届ききらないとき'],
  ...CONFLICTS,
  file_too_large: [413, 'ファイル（Excelのブックでは、展開した大きさも）が大きすぎるとき'],
  record_too_long: [413, '1行が長すぎるとき'],
  too_large: [
    413,
    `本文が${MAX_BODY_BYTES / 1024}KB（アタックリスト、テンプレート、SendGridのイベントを受け取る呼び出しでは` +
      `${MAX_LARGE_BODY_BYTES / 1024 / 1024}MB）を超えているとき`,
  ],
  uri_too_long: [414, `URLが${MAX_URL_LENGTH.toLocaleString('ja-JP')}文字を超えているとき`],
  unsupported_media_type: [
    415,
    '本文が `application/json`（ファイルを受け取る呼び出しでは `application/octet-stream`）ではないか、圧縮されているとき',
  ],
  misdirected_request: [
    421,
    '`Host` ヘッダーのホストが、このサーバーのもの（`PUBLIC_URL`、`ALLOWED_HOSTS`、`localhost` など）でないとき',
  ],
  too_many_rows: [422, '`limit` を指定せず、返すものが多すぎるとき'],
  too_many_at_once: [
    429,
    '同じアカウントの呼び出しが多く、データベースの順番を待ちきれないとき。何も行っていません。`Retry-After` の秒数を待ってください',
  ],
  too_many_checks: [
    429,
    `1分間に${DOMAIN_CHECKS_PER_MINUTE}回より多く確かめたとき。会社のIDでのログインの設定を、1時間に20回より多く変えたとき。` +
      `メールボックスを、1分間に${MAILBOX_CHECKS_PER_MINUTE}回か1日に${MAILBOX_CHECKS_PER_DAY}回より多く確かめたとき`,
  ],
  too_many_codes: [429, '二段階認証の数字の間違いが続いたとき。`Retry-After` の秒数を待ってください'],
  too_many_guesses: [
    429,
    '同じ接続元から、同じメールアドレスへのパスワードの間違いが続いたとき。`Retry-After` の秒数を待ってください',
  ],
  too_many_mails: [429, 'メールを送りすぎたとき。`Retry-After` の秒数を待ってください'],
  too_many_requests: [429, '1分あたりの呼び出しの数が上限を超えたとき。`Retry-After` の秒数を待ってください'],
  too_many_streams: [429, '同じアカウントで開いている画面が多すぎるとき'],
  headers_too_long: [431, 'URLとヘッダーが長すぎるとき'],
  internal_error: [500, 'サーバーで問題が起きたとき'],
  account_frozen: [503, 'アカウントのデータをほかのサーバーに移行しているとき。`Retry-After` の秒数を待ってください'],
  busy: [503, 'サーバーが混み合っているとき。`Retry-After` の秒数を待ってください'],
  database_unavailable: [
    503,
    'データベースが止まっているか、書き込めない状態（読み取り専用など）のとき。`Retry-After` の秒数を待ってください',
  ],
  mail_not_sent: [503, 'メールサーバーがメールを受け付けなかったとき'],
  new_version: [503, 'サーバーを新しい版に切り替えているとき。`Retry-After` の秒数を待ってください'],
  no_secret_key: [503, 'サーバーに暗号化の鍵（`SECRET_KEY`）がないか、違っているとき'],
  no_system_sender: [503, '確認メールの差出人がないとき。管理者が `MAIL_FROM` を設定してください'],
  storage_full: [503, 'サーバーの保存場所がいっぱいのとき。何も変わっていません。管理者に連絡してください'],
  too_slow: [
    503,
    'データベースでの処理に時間がかかりすぎたとき。条件を絞るか件数を減らし、`Retry-After` の秒数を待ってください',
  ],
} as const satisfies Readonly<Record<string, readonly [status: Status, when: string]>>;

export type ErrorCode = keyof typeof ERRORS;
