import type { KeyObject } from 'node:crypto';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { parseMailAddress } from '#domain/mail-address.ts';
import type { DatabaseSettings } from './database-access.ts';
import { environment, PROGRAM, type Sender } from './environment.ts';
import type { LogLevel } from './log.ts';
import { readDkim } from './mail/dkim.ts';
import { readSendGrid, type SendGridSettings } from './mail/sendgrid-settings.ts';
import { readSmtp, type SmtpSettings } from './mail/smtp-settings.ts';
import { StartupError } from './startup-error.ts';

/** The environment, read once at start (design §10). Every fault is listed at once. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  /** Without any URL: the bundled PostgreSQL in dataDir. */
  readonly database: DatabaseSettings;
  readonly dataDir: string;
  /** null, and sendgrid too: the mail catcher; nothing leaves the machine. Never both. */
  readonly smtp: SmtpSettings | null;
  readonly sendgrid: SendGridSettings | null;
  /** What SendGrid signs its events with; null: none are taken. */
  readonly eventKey: KeyObject | null;
  /** The sender of the program's own mails. */
  readonly mailFrom: Sender;
  readonly mailCatcher: { readonly smtpPort: number; readonly webPort: number };
  /** Mails a worker process sends at once. */
  readonly workerConnections: number;
  readonly demo: boolean;
  /** Where templates are edited, with `{template_id}` in place of an id; null: nowhere. */
  readonly templateEditorUrl: string | null;
  /** Named in the footer of every page. */
  readonly copyrightHolder: string;
  /** Addresses and CIDR ranges of the proxies whose X-Forwarded-For is believed. */
  readonly trustProxy: readonly string[];
  /** The hosts that requests may name besides the loopback names: of `publicUrl`, and those of ALLOWED_HOSTS. */
  readonly allowedHosts: readonly string[];
  /** Where this process serves its metrics; null: nowhere. */
  readonly metricsPort: number | null;
  readonly metricsHost: string;
  /** null: what the command takes for itself. */
  readonly logLevel: LogLevel | null;
}

/** An address that can be written in any mail: of the host users know us by, where that is a domain. */
function defaultMailFrom(publicUrl: string): Sender {
  const address = parseMailAddress(`no-reply@${new URL(publicUrl).hostname}`);
  return { name: PROGRAM, address: address.ok ? address.address : 'no-reply@localhost.localdomain' };
}

const databaseSettings = (data: z.infer<typeof environment>): DatabaseSettings => ({
  owner: data.DATABASE_URL?.href ?? null,
  rolePrefix: data.DATABASE_ROLE_PREFIX,
  roles: {
    api: data.DATABASE_API_URL?.href ?? null,
    login: data.DATABASE_LOGIN_URL?.href ?? null,
    service: data.DATABASE_SERVICE_URL?.href ?? null,
  },
});

/**
 * What can be set, as docs/operations.md shows it. `default` null: the description tells what holds then, or nothing
 * does.
 */
export const settingsTable = () =>
  Object.entries(environment.shape).map(([name, schema]) => {
    const value: unknown = schema.parse(undefined);
    const shown = typeof value === 'string' || typeof value === 'number';
    return { name, default: shown ? String(value) : null, description: schema.description };
  });

const BOTH_WAYS =
  'SMTP_URL と SENDGRID_API_KEY は同時に設定できません。SMTPで送るなら SENDGRID_API_KEY を、SendGridで送るなら SMTP_URL を外してください。';

const TLS_ANYWAY =
  'SMTP_STARTTLS は smtp:// のときだけ設定できます（smtps:// は最初からTLSで接続します）。SMTP_STARTTLS を外してください。';

/** @throws StartupError that names every faulty setting */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const known = new Set(Object.keys(environment.shape));
  const faults = Object.keys(env)
    .filter((name) => name.startsWith('KAITAKU_') && !known.has(name))
    .map((name) => `${name} という設定はありません。`);
  const parsed = environment.safeParse(env);
  if (!parsed.success) faults.push(...parsed.error.issues.map(({ message }) => message));
  if (env.SMTP_STARTTLS !== undefined && /^smtps:/i.test(env.SMTP_URL ?? '')) faults.push(TLS_ANYWAY);
  const dkim = readDkim(env);
  if (Array.isArray(dkim)) faults.push(...dkim);
  const sendgrid = readSendGrid(env);
  if (Array.isArray(sendgrid)) faults.push(...sendgrid);
  else if (sendgrid.sendgrid && env.SMTP_URL !== undefined) faults.push(BOTH_WAYS);
  if (!parsed.success || Array.isArray(dkim) || Array.isArray(sendgrid) || faults.length > 0) {
    throw new StartupError(['設定に誤りがあります。', ...faults.map((fault) => `・${fault}`)].join('\n'));
  }
  const { data } = parsed;
  const publicUrl =
    data.PUBLIC_URL?.origin ?? `http://${data.HOST.includes(':') ? `[${data.HOST}]` : data.HOST}:${data.PORT}`;
  return {
    host: data.HOST,
    port: data.PORT,
    publicUrl,
    database: databaseSettings(data),
    dataDir: resolve(data.DATA_DIR),
    smtp: data.SMTP_URL ? { ...readSmtp(data.SMTP_URL, data), dkim } : null,
    ...sendgrid,
    mailFrom: data.MAIL_FROM ?? defaultMailFrom(publicUrl),
    mailCatcher: { smtpPort: data.MAIL_CATCHER_SMTP_PORT, webPort: data.MAIL_CATCHER_WEB_PORT },
    workerConnections: data.WORKER_CONNECTIONS,
    templateEditorUrl: data.TEMPLATE_EDITOR_URL ?? null,
    copyrightHolder: data.COPYRIGHT_HOLDER,
    demo: data.KAITAKU_DEMO === '1',
    trustProxy: data.TRUST_PROXY,
    allowedHosts: [new URL(publicUrl).hostname.replace(/\.$/, ''), ...data.ALLOWED_HOSTS],
    metricsPort: data.METRICS_PORT ?? null,
    metricsHost: data.METRICS_HOST,
    logLevel: data.LOG_LEVEL ?? null,
  };
}
