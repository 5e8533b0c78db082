import { get as getPlain, type IncomingMessage } from 'node:http';
import { get } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { domainState } from '#domain/dns/health.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { listDomainsInUse } from '../../features/domain-health/domain-check.queries.ts';
import { InboxError } from '../../features/inbox/imap-dialog.ts';
import { openInbox } from '../../features/inbox/imap-session.ts';
import { inboxFigures } from '../../features/inbox/inbox-state.queries.ts';
import { openingStep } from '../../features/mailbox-settings/check/smtp-texts.ts';
import type { Db } from '../../platform/database/db.ts';
import { faultText } from '../../platform/log.ts';
import type { MailPath } from '../../platform/mail/mail-path.ts';
import { openSession } from '../../platform/mail/smtp/session.ts';
import { SMTP_TIMES } from '../../platform/mail/smtp/settings.ts';
import { isProgramFault } from '../../platform/outbound/program-fault.ts';
import type { Settings } from '../../platform/settings.ts';
import { DIFFERENCE_SECONDS_MAX } from '../tasks/watch-clock.ts';
import { bad, type Finding, look, ok } from './finding.ts';

/* Checks that ask other servers. They send no mail, and change nothing there. */

/** A certificate is renewed long before: less time means that nothing renews it. */
const CERTIFICATE_DAYS_MIN = 14;
const ANSWER_BYTES_MAX = 1000;
const NOT_FROM_OUTSIDE =
  '外からつながるかは、この確認では分かりません。別の回線の端末で、このアドレスを開いてください。';
const PROXY_CURE = 'プロキシの転送先が、このKaitakuの web（HOST と PORT）かどうかを確かめてください。';

/** Asks `web` at the address that users open, and checks name, certificate, answer and clock. */
export async function checkOwnAnswer({ publicUrl }: Settings, stopping: AbortSignal): Promise<Finding[]> {
  const url = new URL('/health/live', publicUrl);
  let answer: IncomingMessage;
  try {
    answer = await ask(url, stopping);
  } catch (error) {
    stopping.throwIfAborted();
    return [unreached(url, error as NodeJS.ErrnoException)];
  }
  const { statusCode = 0, headers, socket } = answer;
  const validTo = url.protocol === 'https:' ? Date.parse((socket as TLSSocket).getPeerCertificate().valid_to) : null;
  const body = await textOf(answer);
  if (statusCode >= 300 && statusCode < 400)
    return [
      bad(
        `${url.href} は、別のアドレスに転送されます（${statusCode}）。`,
        '利用者が実際に開くアドレスを PUBLIC_URL に設定してください。',
      ),
    ];
  if (statusCode !== 200)
    return [bad(`${url.href} の答えが ${statusCode} でした。`, `web が動いているかと、${PROXY_CURE}`)];
  if (body !== '{"status":"ok"}') return [bad(`${url.href} に、Kaitakuではないものが答えました。`, PROXY_CURE)];
  return [
    ok(`${publicUrl} に、このマシンからつながりました。${NOT_FROM_OUTSIDE}`),
    ...(validTo === null ? [] : certificateOf(validTo)),
    ...clockOf(headers.date),
  ];
}

const ask = (url: URL, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((done, fail) => {
    const request = (url.protocol === 'https:' ? get : getPlain)(url, { signal, agent: false });
    request.on('response', done).on('error', fail);
  });

/** Returns the beginning of an answer, and closes the connection. */
async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    text += chunk;
    if (text.length > ANSWER_BYTES_MAX) break;
  }
  return text;
}

function certificateOf(validTo: number): Finding[] {
  const days = Math.floor((validTo - Date.now()) / DAY_MS);
  if (days >= CERTIFICATE_DAYS_MIN) return [ok(`証明書は、あと${days}日有効です。`)];
  const cure = 'プロキシの証明書の自動更新が動いているかを、プロキシのログで確かめてください。';
  return [look(`証明書が、あと${days}日で切れます。`, cure)];
}

function clockOf(date: string | undefined): Finding[] {
  const seconds = Math.round((Date.parse(date ?? '') - Date.now()) / 1000);
  if (!(Math.abs(seconds) > DIFFERENCE_SECONDS_MAX)) return [];
  return [
    look(
      `答えたサーバーの時計が、このマシンと ${Math.abs(seconds)}秒違います。`,
      '両方の時計を、NTPで合わせてください。',
    ),
  ];
}

/** What the codes of Node's errors mean, with the cure. */
const UNREACHED: readonly (readonly [codes: RegExp, text: string, cure: string])[] = [
  [
    /^CERT_HAS_EXPIRED$/,
    '証明書の期限が切れています。',
    'プロキシで証明書を更新し、自動更新が動いているかを確かめてください。',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    '証明書が、ほかの名前のものです。',
    'PUBLIC_URL の名前の証明書を、プロキシに設定してください。',
  ],
  [
    /SELF_SIGNED|UNABLE_TO_|CERT_|ERR_TLS/,
    '証明書を確かめられません。',
    '公に認められた認証局の証明書を、中間証明書と一緒に、プロキシに設定してください。',
  ],
  [/^ERR_SSL|^EPROTO$/, 'TLSで答えません。', 'プロキシのTLSの設定を確かめてください。'],
  [/^ENOTFOUND$|^EAI_/, '名前が見つかりません。', 'DNSに、この名前のAレコード（とAAAAレコード）を登録してください。'],
];

function unreached({ href }: URL, { code = '', message }: NodeJS.ErrnoException): Finding {
  const [, text, cure] = UNREACHED.find(([codes]) => codes.test(code)) ?? [
    code,
    `つながりません（${code === '' ? faultText(message) : code}）。`,
    'web とプロキシが動いているかを確かめてください。自分の公開アドレスに内側からは届かないネットワークでは、別の回線で開いて確かめます。',
  ];
  return bad(`${href}：${text}`, cure);
}

/** Connects to the mail server and logs in, as a worker does. */
export async function checkMailServer({ smtp, sendgrid }: Settings, stopping: AbortSignal): Promise<Finding> {
  if (sendgrid) return ok('SendGridで送ります（ここからは、つないで確かめません）。');
  if (!smtp)
    return look(
      'SMTP_URL も SENDGRID_API_KEY もないため、メールボックスのメールのほかは、このマシンから出ません。',
      '会社に送るなら、どちらかを設定するか、メールボックスをつないでください。',
    );
  const { host, port } = smtp;
  const over = new Promise<never>((_, fail) => {
    stopping.addEventListener('abort', () => fail(stopping.reason), { once: true });
  });
  try {
    const session = await openSession(smtp, SMTP_TIMES, over);
    await session.quit();
  } catch (error) {
    stopping.throwIfAborted();
    if (isProgramFault(error)) throw error;
    const { text } = openingStep(error as Error, { kind: 'smtp', host, port });
    return bad(`${host}:${port}：${text}`, 'SMTP_URL、SMTP_USER、SMTP_PASSWORD、SMTP_STARTTLS を確かめてください。');
  }
  return ok(
    `${host}:${port} につながりました${smtp.credentials === null ? '（ログインなし）' : '（ログインもできました）'}。`,
  );
}

const INBOX_TEXTS: Readonly<Record<InboxError['fault'], string>> = {
  connection: 'つながりません。',
  login: 'ログインできません。',
  mailbox: 'メールボックスを開けません。',
  other: '開けません。',
};

/** Opens the inbox of bounces and answers without changing it, and checks that a worker reads it. */
export async function checkInbox({ inbox }: Settings, db: Db, stopping: AbortSignal): Promise<Finding> {
  if (inbox === null) return ok('INBOX_URL はありません（あとから戻ったメールは読みません）。');
  const { host, port } = inbox;
  try {
    // Without the folder for read mails it is opened read-only.
    (await openInbox({ ...inbox, done: null }, stopping)).close();
  } catch (error) {
    stopping.throwIfAborted();
    if (!(error instanceof InboxError)) throw error;
    const reply = faultText(error);
    return bad(
      `${host}:${port}：${INBOX_TEXTS[error.fault]}（${reply}）`,
      'INBOX_URL と INBOX_PASSWORD を確かめてください。',
    );
  }
  const figures = await inboxFigures(db, inbox.name);
  if (figures !== null && figures.isFaulty === 0 && figures.secondsSinceRead <= 600)
    return ok('worker が読んでいます。');
  return look(
    'つながりますが、worker が10分以上読んでいません。',
    'worker が動いているかと、ログの could not read the inbox を確かめてください。',
  );
}

/** Mails to the catcher need no DNS. */
const CAUGHT: MailPath = { kind: 'smtp', host: '127.0.0.1', dkim: null, returnDomain: null };
const DOMAINS_MAX = 10;

/** Checks the DNS of the domains that most senders in use have, as the screen does; nothing is stored. */
export async function checkDomains({ publicUrl, dnsServers }: Settings, db: Db, mailPath: MailPath | null) {
  const { domains, total } = await listDomainsInUse(db, DOMAINS_MAX);
  if (domains.length === 0) return [ok('使っている差出人は、まだありません。')];
  const { checkDomain } = await import('../../features/domain-health/check-domain.ts');
  const setup = { mailPath: mailPath ?? CAUGHT, leavesMachine: mailPath !== null, publicUrl, dnsServers };
  const found = await Promise.all(
    domains
      .filter(({ paths }) => mailPath !== null || paths.some((path) => path !== 'relay'))
      .map(async ({ domain, paths }) => findingsOfDomain(domain, await checkDomain(domain, setup, paths))),
  );
  if (found.length === 0) return [ok('メールはキャッチャーに届くため、DNSは要りません。')];
  const rest =
    total > domains.length
      ? [ok(`ほか${total - domains.length}件は、画面の「設定 › ドメイン・受信」で確かめられます。`)]
      : [];
  return [...found.flat(), ...rest];
}

function findingsOfDomain(
  domain: string,
  found: Awaited<ReturnType<typeof import('../../features/domain-health/check-domain.ts').checkDomain>>,
): Finding[] {
  const state = domainState(found);
  if (state === 'good') return [ok(`${domain}：問題ありません。`)];
  return found
    .filter(({ level }) => level === 'bad' || level === 'unknown')
    .map(({ level, message, remedy }) => (level === 'bad' ? bad : look)(`${domain}：${message}`, remedy));
}
