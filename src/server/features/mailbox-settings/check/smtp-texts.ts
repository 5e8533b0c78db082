import type { MailboxKind } from '#contract/senders/mailboxes-names.ts';
import type { SmtpFault } from '../../../platform/mail/outcome.ts';
import { printable } from '../../../platform/mail/outcome.ts';
import { OutboundFault } from '../../../platform/outbound/outbound.ts';
import { type StepResult, withReply } from './steps.ts';

/** The server that a check connects to. */
interface Server {
  readonly kind: MailboxKind;
  readonly host: string;
  readonly port: number;
}

/**
 * Returns the step at which no server was reached, and why.
 * @returns null for another fault than that of a connection
 */
export function unreachedStep(error: unknown, { host, port }: Omit<Server, 'kind'>): StepResult | null {
  if (!(error instanceof OutboundFault)) return null;
  switch (error.reason) {
    case 'invalid_host':
      return { step: 'host', state: 'bad', text: `「${host}」は、サーバーの名前として読み取れません。` };
    case 'no_address':
      return { step: 'host', state: 'bad', text: `${host} が見つかりません。サーバーの名前を確かめてください。` };
    case 'private_address':
      return {
        step: 'host',
        state: 'bad',
        text: '社内のサーバーには、管理者の設定（MAIL_HOSTS_ALLOWED）が必要です。',
      };
    case 'timeout':
      return {
        step: 'connect',
        state: 'bad',
        text: `${host} のポート${port}から、時間内に返事がありません。サーバーの名前とポートを確かめてください。`,
      };
    default:
      return {
        step: 'connect',
        state: 'bad',
        text: `${host} のポート${port}に接続できません。サーバーの名前とポートを確かめてください。`,
      };
  }
}

/** Returns the step at which a session was not opened, and why. */
export function openingStep(error: Error, server: Server): StepResult {
  const unreached = unreachedStep(error, server);
  if (unreached) return unreached;
  const fault: SmtpFault = error;
  const { code = '', command = '', message } = fault;
  if (code === 'EAUTH' || command.startsWith('AUTH')) {
    return { step: 'login', state: 'bad', text: logInText(server.kind, fault) };
  }
  // nodemailer reports a handshake that fails at the first byte as a fault of the socket.
  const isTls = code === 'ETLS' || command === 'STARTTLS' || /TLS|SSL|certificat|self.signed|altnames/i.test(message);
  if (isTls) return { step: 'tls', state: 'bad', text: tlsText(fault) };
  const reply = printable(fault.response ?? '');
  return {
    step: 'connect',
    state: 'bad',
    text: withReply(
      `${server.host} のポート${server.port}は、メールサーバーとしての返事がありません。ポートと暗号化を確かめてください。`,
      reply,
    ),
  };
}

function tlsText({ message, response = '', responseCode = 0 }: SmtpFault): string {
  if (responseCode >= 500 || /STARTTLS/.test(message)) {
    return withReply('サーバーがSTARTTLSで暗号化できません。ポート465（TLS）を試してください。', printable(response));
  }
  if (/wrong version|packet length|unknown protocol|http request/i.test(message)) {
    return 'このポートは、最初からTLSではつながりません。ポート587（STARTTLS）を試してください。';
  }
  if (/expired/i.test(message)) return 'サーバーの証明書の期限が切れています。サーバーの管理者に連絡してください。';
  if (/altnames|does not match/i.test(message)) {
    return 'サーバーの証明書が、ほかの名前のものです。サーバーの名前を、契約先の案内のとおりに入力してください。';
  }
  return 'サーバーの証明書を確かめられません。サーバーの名前を確かめてください。';
}

/** What servers say where a password cannot work, and what a member does then. */
const LOG_IN_HINTS: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/5\.7\.139/, 'Microsoft 365の管理者が「認証済みSMTP」を有効にする必要があります。'],
  [
    /application-specific password|InvalidSecondFactor|5\.7\.9/i,
    'Googleのアカウントでは、ふだんのパスワードではなく「アプリ パスワード」が必要です。',
  ],
  [
    /WebLoginRequired|5\.7\.14/i,
    'Googleが、ブラウザーでのログインを求めています。Gmailを開いてから、もう一度確かめてください。',
  ],
  [/Unknown authentication method/i, 'このサーバーでは、パスワードでログインできません。'],
];

function logInText(kind: MailboxKind, { message, response = '', responseCode = 0 }: SmtpFault): string {
  const reply = printable(response);
  const hint = LOG_IN_HINTS.find(([pattern]) => pattern.test(response) || pattern.test(message));
  if (hint) return withReply(hint[1], reply);
  if (responseCode >= 400 && responseCode < 500) {
    return withReply('サーバーが、いまはログインを受け付けません。しばらくしてから、もう一度確かめてください。', reply);
  }
  return withReply(
    kind === 'smtp'
      ? 'ユーザー名かパスワードが違います。'
      : 'サインインが無効になっています。サインインし直してください。',
    reply,
  );
}

/** Returns whether a server has refused a log-in for good: another try with the same secret fails too. */
export function isLogInRefused(error: unknown): boolean {
  const { code, command = '', responseCode = 0 } = error as SmtpFault;
  return (code === 'EAUTH' || command.startsWith('AUTH')) && responseCode >= 500;
}
