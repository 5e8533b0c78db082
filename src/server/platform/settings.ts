import { resolve } from 'node:path';
import { z } from 'zod';
import { parseSmtpUrl, type SmtpSettings } from './mail/smtp-settings.ts';
import { StartupError } from './startup-error.ts';

/** The environment, read once at start (design §10). Every fault is listed at once. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  /** null: the embedded PostgreSQL in dataDir. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  /** null: the mail catcher; nothing leaves the machine. */
  readonly smtp: SmtpSettings | null;
  readonly mailCatcher: { readonly smtpPort: number; readonly webPort: number };
  /** Mails a worker process sends at once. */
  readonly workerConnections: number;
  readonly demo: boolean;
}

const integer = (name: string, fallback: number, min: number, max: number) =>
  z
    .string()
    .default(String(fallback))
    .refine((text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: ({ input }) => `${name} は ${min}〜${max} の整数にしてください（今の値: ${String(input)}）。`,
    })
    .transform(Number);

const port = (name: string, fallback: number) => integer(name, fallback, 1, 65_535);

/** The value itself is not repeated: it may hold a password. */
const url = (name: string, protocols: string[], example: string) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol) && new URL(text).hostname !== '',
      {
        error: `${name} は ${example} の形にしてください。`,
      },
    )
    .transform((text) => new URL(text));

const environment = z.object({
  HOST: z
    .string()
    .regex(/^[\w.:-]+$/, 'HOST はホスト名かIPアドレスにしてください。')
    .default('127.0.0.1'),
  PORT: port('PORT', 3000),
  PUBLIC_URL: url('PUBLIC_URL', ['http:', 'https:'], 'https://kaitaku.example.co.jp')
    .refine(({ username, pathname, search }) => username === '' && pathname === '/' && search === '', {
      error: 'PUBLIC_URL にはパスやユーザー名を含めないでください。',
    })
    .optional(),
  DATABASE_URL: url(
    'DATABASE_URL',
    ['postgres:', 'postgresql:'],
    'postgres://user:password@host:5432/kaitaku',
  ).optional(),
  DATA_DIR: z.string().min(1, 'DATA_DIR が空です。').default('./data'),
  SMTP_URL: url('SMTP_URL', ['smtp:', 'smtps:'], 'smtp://host:587 または smtps://host:465').optional(),
  SMTP_USER: z.string().optional(),
  SMTP_PASSWORD: z.string().optional(),
  MAIL_CATCHER_SMTP_PORT: port('MAIL_CATCHER_SMTP_PORT', 1025),
  MAIL_CATCHER_WEB_PORT: port('MAIL_CATCHER_WEB_PORT', 1080),
  WORKER_CONNECTIONS: integer('WORKER_CONNECTIONS', 10, 1, 100),
  KAITAKU_DEMO: z.enum(['0', '1'], { error: 'KAITAKU_DEMO は 0 か 1 にしてください。' }).default('1'),
});

/** @throws StartupError that names every faulty setting */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const known = new Set(Object.keys(environment.shape));
  const faults = Object.keys(env)
    .filter((name) => name.startsWith('KAITAKU_') && !known.has(name))
    .map((name) => `${name} という設定はありません。`);
  const parsed = environment.safeParse(env);
  if (!parsed.success) faults.push(...parsed.error.issues.map(({ message }) => message));
  if (!parsed.success || faults.length > 0) {
    throw new StartupError(['設定に誤りがあります。', ...faults.map((fault) => `・${fault}`)].join('\n'));
  }
  const { data } = parsed;
  return {
    host: data.HOST,
    port: data.PORT,
    publicUrl:
      data.PUBLIC_URL?.origin ?? `http://${data.HOST.includes(':') ? `[${data.HOST}]` : data.HOST}:${data.PORT}`,
    databaseUrl: data.DATABASE_URL?.href ?? null,
    dataDir: resolve(data.DATA_DIR),
    smtp: data.SMTP_URL ? parseSmtpUrl(data.SMTP_URL, data.SMTP_USER, data.SMTP_PASSWORD) : null,
    mailCatcher: { smtpPort: data.MAIL_CATCHER_SMTP_PORT, webPort: data.MAIL_CATCHER_WEB_PORT },
    workerConnections: data.WORKER_CONNECTIONS,
    demo: data.KAITAKU_DEMO === '1',
  };
}
