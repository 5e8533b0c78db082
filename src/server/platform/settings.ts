import type { KeyObject } from 'node:crypto';
import { resolve } from 'node:path';
import type { DatabaseSettings } from './database/roles/database-access.ts';
import { type Environment, environment } from './environment.ts';
import type { TrustedProxies } from './http/client-address.ts';
import type { LogLevel } from './log.ts';
import { type DkimKey, readDkim } from './mail/dkim.ts';
import { type InboxSettings, inboxFault, readInbox } from './mail/inbox-settings.ts';
import type { Sender } from './mail/mail-environment.ts';
import { type ReadSendGrid, readSendGrid, type SendGridSettings } from './mail/sendgrid/settings.ts';
import { readSmtp, type SmtpSettings } from './mail/smtp/settings.ts';
import type { SecretKeys } from './secrets/secret-key.ts';
import { StartupError } from './startup-error.ts';

/** The environment, read once at start (design §10). All faults are reported together. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  /** Without any URL: the bundled PostgreSQL in dataDir. */
  readonly database: DatabaseSettings;
  readonly dataDir: string;
  readonly secretKeys: SecretKeys;
  /** null, with sendgrid null too: the mail catcher, so that no mail leaves the machine. At most one is set. */
  readonly smtp: SmtpSettings | null;
  readonly sendgrid: SendGridSettings | null;
  /** The key that verifies SendGrid's signed events; null: no events are accepted. */
  readonly eventKeys: readonly KeyObject[];
  /** The mailbox for bounces and replies; null: none is read. */
  readonly inbox: InboxSettings | null;
  /** The server whose Authentication-Results in the inbox are trusted; null: none. */
  readonly authservId: string | null;
  /** The pattern of the envelope sender (domain/return-address.ts); null: the sender's own address. */
  readonly returnAddress: string | null;
  /** The sender of the program's own mails; null: mail/system-sender.ts chooses it. */
  readonly mailFrom: Sender | null;
  /** `address` or `address:port` of the resolvers for senders' domains; none: the system's. */
  readonly dnsServers: readonly string[];
  /** Names, addresses and ranges of mailboxes' servers in the operator's own network. */
  readonly mailHostsAllowed: readonly string[];
  readonly mailCatcher: { readonly smtpPort: number; readonly webPort: number };
  /** Mails that a worker process sends concurrently. */
  readonly workerConnections: number;
  /** The most bytes of the files of all accounts together; null: only the disk limits them. */
  readonly storedBytesMax: number | null;
  /** The most companies in the list of an account. */
  readonly companiesMax: number;
  /** The most people of an account. */
  readonly peopleMax: number;
  readonly demo: boolean;
  /** Where templates are edited, with `{template_id}` in place of an id; null: no editor. */
  readonly templateEditorUrl: string | null;
  /** Shown in the footer of every page. */
  readonly copyrightHolder: string;
  /** Addresses and CIDR ranges of the proxies whose client header is trusted. */
  readonly proxies: TrustedProxies;
  /** The hosts of accepted requests besides the loopback names: `publicUrl`'s, and ALLOWED_HOSTS. */
  readonly allowedHosts: readonly string[];
  /** The hosts that accounts may be given: names, and `*.example.jp`. */
  readonly offeredHosts: readonly string[];
  /** The port on which this process serves its metrics; null: none. */
  readonly metricsPort: number | null;
  readonly metricsHost: string;
  /** The names of the settings that are set, for people who must keep them. */
  readonly named: readonly string[];
  /** null: the default of the command. */
  readonly logLevel: LogLevel | null;
}

const publicUrlOf = ({ PUBLIC_URL, SITE, HOST, PORT }: Environment): string =>
  PUBLIC_URL?.origin ?? (SITE && `https://${SITE}`) ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`;

const databaseSettings = (data: Environment): DatabaseSettings => ({
  owner: data.DATABASE_URL?.href ?? null,
  rolePrefix: data.DATABASE_ROLE_PREFIX,
  cell: data.CELL ?? null,
  roles: {
    api: data.DATABASE_API_URL?.href ?? null,
    login: data.DATABASE_LOGIN_URL?.href ?? null,
    service: data.DATABASE_SERVICE_URL?.href ?? null,
  },
});

/** Returns a fault for each variable with the program's prefix that is no setting. */
function unknownNames(env: NodeJS.ProcessEnv): string[] {
  const known = new Set(Object.keys(environment.shape));
  return Object.keys(env)
    .filter((name) => name.startsWith('KAITAKU_') && !known.has(name))
    .map((name) => `${name} という設定はありません。`);
}

const STARTTLS_OVER_TLS_MESSAGE =
  'SMTP_STARTTLS は smtp:// のときだけ設定できます（smtps:// は最初からTLSで接続します）。SMTP_STARTTLS を外してください。';

const starttlsFault = ({ SMTP_STARTTLS, SMTP_URL = '' }: NodeJS.ProcessEnv): string[] =>
  SMTP_STARTTLS !== undefined && /^smtps:/i.test(SMTP_URL) ? [STARTTLS_OVER_TLS_MESSAGE] : [];

const TWO_TRANSPORTS_MESSAGE =
  'SMTP_URL と SENDGRID_API_KEY は同時に設定できません。SMTPで送るなら SENDGRID_API_KEY を、SendGridで送るなら SMTP_URL を外してください。';

const twoTransportsFault = (env: NodeJS.ProcessEnv, { sendgrid }: Pick<Settings, 'sendgrid'>): string[] =>
  sendgrid !== null && env.SMTP_URL !== undefined ? [TWO_TRANSPORTS_MESSAGE] : [];

const SENDGRID_SENDER_MESSAGE =
  'SENDGRID_API_KEY を設定するときは、MAIL_FROM も必要です。確認メールやお知らせの差出人を、SendGridで認証したアドレスにしてください。';

/** SendGrid accepts only verified senders, and its login names none. */
const noSenderFault = (env: NodeJS.ProcessEnv, { sendgrid }: Pick<Settings, 'sendgrid'>): string[] =>
  sendgrid !== null && env.MAIL_FROM === undefined ? [SENDGRID_SENDER_MESSAGE] : [];

/** Parses the environment. @throws StartupError that names every faulty setting */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const parsed = environment.safeParse(env);
  const dkim = readDkim(env);
  const sendgrid = readSendGrid(env);
  const faults = [
    ...unknownNames(env),
    ...(parsed.error?.issues.map(({ message }) => message) ?? []),
    ...starttlsFault(env),
    ...inboxFault(env),
    ...(Array.isArray(dkim) ? dkim : []),
    ...(Array.isArray(sendgrid) ? sendgrid : [...twoTransportsFault(env, sendgrid), ...noSenderFault(env, sendgrid)]),
  ];
  if (!parsed.success || Array.isArray(dkim) || Array.isArray(sendgrid) || faults.length > 0) {
    throw new StartupError(['設定に誤りがあります。', ...faults.map((fault) => `・${fault}`)].join('\n'));
  }
  const named = Object.keys(environment.shape).filter((name) => env[name]);
  return { ...settingsOf(parsed.data, dkim, sendgrid), named };
}

/** Settings that hold secrets. Database URLs stay: children such as the bundled server's tools may need them. */
export const SECRET_SETTINGS = [
  'SECRET_KEY',
  'SECRET_KEY_OLD',
  'SMTP_URL',
  'SMTP_PASSWORD',
  'INBOX_PASSWORD',
  'SENDGRID_API_KEY',
  'DKIM_PRIVATE_KEY',
] as const;

/** Reads the environment of this process, and removes the secrets from it: children get a copy. */
export function takeSettings(env: NodeJS.ProcessEnv): Settings {
  try {
    return readSettings(env);
  } finally {
    for (const name of SECRET_SETTINGS) delete env[name];
  }
}

function settingsOf(data: Environment, dkim: DkimKey | null, sendgrid: ReadSendGrid): Omit<Settings, 'named'> {
  const publicUrl = publicUrlOf(data);
  return {
    host: data.HOST,
    port: data.PORT,
    publicUrl,
    database: databaseSettings(data),
    dataDir: resolve(data.DATA_DIR),
    secretKeys: { current: data.SECRET_KEY ?? null, old: data.SECRET_KEY_OLD ?? null },
    smtp: data.SMTP_URL ? { ...readSmtp(data.SMTP_URL, data), dkim } : null,
    ...sendgrid,
    inbox: data.INBOX_URL ? readInbox(data.INBOX_URL, data.INBOX_PASSWORD ?? '', data.INBOX_DONE ?? null) : null,
    authservId: data.INBOX_AUTHSERV_ID ?? null,
    returnAddress: data.RETURN_ADDRESS ?? null,
    mailFrom: data.MAIL_FROM ?? null,
    dnsServers: data.DNS_SERVERS,
    mailHostsAllowed: data.MAIL_HOSTS_ALLOWED,
    mailCatcher: { smtpPort: data.MAIL_CATCHER_SMTP_PORT, webPort: data.MAIL_CATCHER_WEB_PORT },
    workerConnections: data.WORKER_CONNECTIONS,
    templateEditorUrl: data.TEMPLATE_EDITOR_URL ?? null,
    copyrightHolder: data.COPYRIGHT_HOLDER,
    storedBytesMax: data.STORED_BYTES_MAX ?? null,
    companiesMax: data.COMPANIES_MAX,
    peopleMax: data.PEOPLE_MAX,
    demo: data.KAITAKU_DEMO === '1',
    proxies: { ranges: data.TRUST_PROXY, header: data.PROXY_HEADER },
    allowedHosts: [new URL(publicUrl).hostname.replace(/\.$/, ''), ...data.ALLOWED_HOSTS],
    offeredHosts: data.ACCOUNT_HOSTS,
    metricsPort: data.METRICS_PORT ?? null,
    metricsHost: data.METRICS_HOST,
    logLevel: data.LOG_LEVEL ?? null,
  };
}
