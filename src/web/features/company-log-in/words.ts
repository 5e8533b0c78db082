import type { Provider } from '#domain/account/company-identity.ts';

const BUTTONS = {
  google: 'Googleでログイン',
  microsoft: 'Microsoftでログイン',
  other: '会社のIDでログイン',
} satisfies Record<Provider, string>;

/** The letters of a company's name on the button. */
const NAME_LENGTH = 20;

const shortened = (name: string): string =>
  [...name].length > NAME_LENGTH ? `${[...name].slice(0, NAME_LENGTH).join('')}…` : name;

/** The texts of the log-in by a company's provider. */
export const COMPANY_LOG_IN_MESSAGES = {
  /** @param company whose account the log-in's link names; null: the host's */
  button: (provider: Provider, company: string | null) =>
    company === null ? BUTTONS[provider] : `${BUTTONS[provider]}（${shortened(company)}）`,
  title: '会社のIDでログイン',
  checking: 'ログインしています',
  failed: '会社のIDでログインできませんでした。ログイン画面から、もう一度お試しください',
  noStorage:
    'このブラウザーでは、会社のIDでログインできません。サイトのデータの保存を許可してから、もう一度お試しください',
  toLogin: 'ログイン画面に戻る',
  again: 'もう一度',
} as const;

/** The texts of its registration, in the settings. */
export const REGISTRATION_MESSAGES = {
  title: '会社のIDでのログイン',
  help: 'GoogleやMicrosoftなど、会社のIDの提供元が確かめたメンバーが、パスワードなしでログインします。招待していない人は入れません。二段階認証は、提供元が求めます。',
  docsHelp: '提供元での登録のしかたは、Kaitakuに付属の資料 docs/company-log-in.md にあります。',
  redirectUri: 'リダイレクトURI',
  redirectUriHelp: '提供元のアプリケーションに、このとおりに登録します。',
  provider: '提供元',
  providers: {
    google: 'Google Workspace',
    microsoft: 'Microsoft Entra ID',
    other: 'その他（OpenID Connect）',
  } satisfies Record<Provider, string>,
  tenant: 'ディレクトリ（テナント）ID',
  issuer: 'Issuer',
  issuerHelp: '入力例：https://idp.example.co.jp',
  clientId: 'クライアントID',
  clientSecret: 'クライアントシークレット',
  secretHelp: '変えないときは、空のままにします。',
  domains: 'メールアドレスのドメイン',
  domainsHelp: '入力例：example.co.jp（複数は、カンマか空白で区切ります）',
  joined: (domains: readonly string[]) => domains.join('、'),
  required: (label: string) => `${label}（必須）`,
  missing: (label: string) => `${label}を入力してください`,
  unsaved: '保存していない変更があります',
  turnOn: '保存してオンにする',
  save: '保存',
  turnOff: 'オフにする',
  isOn: 'オン',
  isOff: 'オフ',
  savedOn: '会社のIDでログインできるようにしました',
  savedOff: '会社のIDでのログインをオフにしました。会社のIDでログインしていた人は、ログアウトしました',
  loginLink: 'ログイン画面のリンク',
  loginLinkHelp: 'メンバーに知らせます。このリンクのログイン画面に、ボタンが出ます。',
  copy: 'コピー',
  copied: 'コピーしました',
  password: '現在のパスワード',
  passwordHelp: 'ログインから15分が過ぎたため、確認します。',
  passwordOff: 'パスワードでのログインを止める（二段階認証のある管理者を除く）',
  passwordOffHelp: 'オンにすると、営業と閲覧のみの人は、会社のIDだけでログインします。',
} as const;
