import type { Outcome } from './outcome.ts';

/** The replies that an account reads instead of every reply of a kind. */
const OWN_REPLIES: Partial<Readonly<Record<Outcome['kind'], string>>> = {
  transport: 'メールサーバーに接続できませんでした。自動で再送します。',
  dropped:
    'メールサーバーが、このメールを受け付ける途中で接続を切ったか、応答しなくなりました。' +
    '続くときは、宛先のメールアドレスを確認してください。',
  crowded: 'メールサーバーが同時に受け付ける接続の数に達しました。接続を減らして、自動で再送します。',
  unmarked: '送信の記録を書き込めなかったため、送信を始めませんでした。自動で再送します。',
};
const LOGIN_NEEDED =
  'メールサーバーが、ログインの設定を理由に、この差出人のメールを受け付けませんでした。このサーバーの設定の確認が必要です。';

/**
 * Returns the reply that an account may read: the server's text about its mail. A text about the connection, the login
 * or the database may name the operator's machines and accounts, so only the log gets it (docs/decisions/breaker).
 */
export function replyForAccount(outcome: Exclude<Outcome, { kind: 'claim-lost' }>): string {
  const { kind, reply } = outcome;
  const isLoginFault = kind === 'sender-refused' && isAboutLogin(reply);
  return OWN_REPLIES[kind] ?? (isLoginFault ? LOGIN_NEEDED : reply);
}

/**
 * Returns whether a reply concerns the login: RFC 4954 (530, 534, 535, 538, 5.7.8 to 5.7.11). Postfix and others also
 * report a sender address that does not belong to the login.
 */
const isAboutLogin = (reply: string): boolean =>
  /^53[0458]\b|^5\d\d[ -]5\.7\.(?:8|9|1[01])\b|\bauthenticat|\blog(?:ged )?in\b|\bowned by\b|\bsasl\b/i.test(reply);
