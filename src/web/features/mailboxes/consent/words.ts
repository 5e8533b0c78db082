import { MAILBOX_KIND_NAMES, type MailboxKind } from '#contract/senders/mailboxes-names.ts';

type Provider = Exclude<MailboxKind, 'smtp'>;

/** The texts of a consent, on the way to the provider and back. */
export const CONSENT_MESSAGES = {
  signIn: { google: 'Googleでサインイン', microsoft: 'Microsoftでサインイン' } satisfies Record<Provider, string>,
  help: (address: string) =>
    `提供元の画面で、${address === '' ? 'このアドレス' : address}としてサインインし、メールの利用を許可します。パスワードはKaitakuに渡りません。`,
  noStorage: 'このブラウザーでは、サインインから戻れません。サイトのデータの保存を許可してから、もう一度お試しください',
  title: 'メールボックスの接続',
  finishing: 'メールボックスをつないでいます',
  refused:
    '提供元の画面で許可されなかったため、メールボックスはつながっていません。一覧の「つなぎ直す」で、やり直せます',
  toList: 'メールボックスに戻る',
  again: 'もう一度',
} as const;

/** The texts of the registrations at the providers, for admins. */
export const OAUTH_APP_MESSAGES = {
  title: 'GoogleとMicrosoftの登録',
  help: 'Google WorkspaceやMicrosoft 365のメールボックスをつなぐ前に、提供元にKaitakuを登録します。登録のしかたは、Kaitakuに付属の資料 docs/mailboxes.md にあります。',
  open: '登録の内容',
  provider: '提供元',
  providers: { google: MAILBOX_KIND_NAMES.google, microsoft: MAILBOX_KIND_NAMES.microsoft } satisfies Record<
    Provider,
    string
  >,
  redirectUri: 'リダイレクトURI',
  redirectUriHelp: '提供元のアプリケーションに、このとおりに登録します。',
  faultHelp: (fault: string) =>
    `提供元が登録を断りました（${fault}）。クライアントシークレットの期限が切れていないか確かめ、新しいものを保存してください。`,
  tenant: 'テナントIDか、テナントのドメイン',
  tenantHelp: '入力例：example.onmicrosoft.com',
  clientId: 'クライアントID',
  clientSecret: 'クライアントシークレット',
  secretHelp: '変えないときは、空のままにします。',
  required: (label: string) => `${label}（必須）`,
  missing: (label: string) => `${label}を入力してください`,
  otherClientConsequence: (count: number) =>
    `クライアントIDかテナントを変えると、つないである${count.toLocaleString('ja-JP')}件のメールボックスは、つなぎ直すまで送信と受信が止まります。`,
  sameAsLogIn: 'ログインの設定と同じ登録を使う',
  save: '登録を保存',
  saved: '登録を保存しました',
} as const;
