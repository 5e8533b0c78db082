import { z } from 'zod';
import { isHostPattern } from '#domain/account/account-host.ts';
import { CELL_MAX } from '#domain/limits.ts';
import { databaseUrl } from './database/database-url.ts';
import { PROXY_HEADERS } from './http/client-address.ts';
import { readHostAlone } from './http/hosts.ts';
import { LOG_LEVELS } from './log.ts';
import { inboxEnvironment } from './mail/inbox-settings.ts';
import { mailFrom, transportEnvironment } from './mail/mail-environment.ts';
import { PRODUCT_NAME } from './product-name.ts';
import { readSecretKey } from './secrets/secret-key.ts';
import { host, integer, isAddressRange, isDnsServer, list, port, url } from './setting-values.ts';

/** Checks for a link to a web page, after an id replaces its placeholder. */
function isEditorUrl(text: string): boolean {
  const link = text.replaceAll('{template_id}', '1');
  return /^https?:/i.test(link) && URL.canParse(link) && !/[{}\s]/.test(link);
}

/** A key of seals. A fault does not repeat the value. */
const secretKey = (name: string) =>
  z
    .string()
    .transform(readSecretKey)
    .refine((key) => key !== null, {
      error: `${name} は、32バイトの乱数をbase64で書いたもの（openssl rand -base64 32 の出力）にしてください。`,
    })
    .optional();

/** Every setting by its name in the environment, with its description for docs/operations.md. */
export const environment = z.object({
  HOST: host('HOST')
    .default('127.0.0.1')
    .describe('address where `web` listens, by plain HTTP: put a TLS proxy in front'),
  PORT: port('PORT').default(3000).describe('port of `web`'),
  PUBLIC_URL: url('PUBLIC_URL', ['http:', 'https:'], 'https://kaitaku.example.co.jp')
    .refine(({ username, pathname, search }) => username === '' && pathname === '/' && search === '', {
      error: 'PUBLIC_URL にはパスやユーザー名を含めないでください。',
    })
    .optional()
    .describe(
      'where users open `web`, without a path: start of links in mails; `https:` adds HSTS. `worker` needs it too. ' +
        'Default `http://HOST:PORT`',
    ),
  SITE: z
    .string()
    .transform(readHostAlone)
    .refine((host) => host !== null, {
      error:
        'SITE には、サイトの名前だけを書いてください（例: kaitaku.example.co.jp）。https:// やポート、パスは付けません。',
    })
    .optional()
    .describe(
      'in place of `PUBLIC_URL` the name alone: it is `https://SITE` then. For `compose.server.yaml` and Caddy',
    ),
  DATABASE_URL: databaseUrl('DATABASE_URL').describe(
    '`postgres://user:password@host:5432/database` of the owner, PostgreSQL 15 or newer; `?sslmode=` as libpq reads ' +
      'it. `all` without it: bundled',
  ),
  DATABASE_API_URL: databaseUrl('DATABASE_API_URL').describe(
    'the same for the role `kaitaku_api`. Default: derived from `DATABASE_URL`, which `web` and `worker` do not need ' +
      'if this and the next two are set',
  ),
  DATABASE_LOGIN_URL: databaseUrl('DATABASE_LOGIN_URL').describe('the same for the role `kaitaku_login` (`web`)'),
  DATABASE_SERVICE_URL: databaseUrl('DATABASE_SERVICE_URL').describe(
    'the same for the role `kaitaku_service` (`worker`, commands)',
  ),
  DATABASE_ROLE_PREFIX: z
    .string()
    .regex(/^(?!pg(?:_|$))[a-z][a-z0-9_]{0,49}$/, {
      error:
        'DATABASE_ROLE_PREFIX は英小文字で始まる50文字までの英小文字、数字、_ にしてください（pg と pg_ は使えません）。',
    })
    .default('kaitaku')
    .describe('start of the names of the three roles (`kaitaku_api` …); one for each Kaitaku on a PostgreSQL server'),
  SECRET_KEY: secretKey('SECRET_KEY').describe(
    '32 random bytes in base64 (`openssl rand -base64 32`) that seal secrets in the database, such as those of the ' +
      'second step and the log-ins of mailboxes; the same for all processes, `worker` too, and cells. Default: ' +
      '`secret.key` in `DATA_DIR`, which `all` makes at its first start; without any key no second step or mailbox ' +
      'can be set up',
  ),
  SECRET_KEY_OLD: secretKey('SECRET_KEY_OLD').describe(
    'the key before `SECRET_KEY`, until `kaitaku secrets rotate` has ended',
  ),
  DATA_DIR: z
    .string()
    .min(1, 'DATA_DIR が空です。')
    .default('./data')
    .describe(
      '`worker` and `all`: `receipts` of mails sent in the last three days, shared by the workers of a machine. ' +
        '`all`: also the bundled database and the caught mails',
    ),
  ...transportEnvironment,
  ...inboxEnvironment,
  MAIL_FROM: mailFrom,
  DNS_SERVERS: list()
    .refine((servers) => servers.every(isDnsServer), {
      error: 'DNS_SERVERS は 192.0.2.53 や 192.0.2.53:5353、[2001:db8::53]:53 の形を「,」で区切って並べてください。',
    })
    .describe(
      "resolvers (`192.0.2.53,[2001:db8::53]:53`) that are asked about the senders' domains. Default: the system's",
    ),
  MAIL_CATCHER_SMTP_PORT: port('MAIL_CATCHER_SMTP_PORT').default(1025).describe('of the mail catcher of `all`'),
  MAIL_CATCHER_WEB_PORT: port('MAIL_CATCHER_WEB_PORT').default(1080).describe('of its page, on 127.0.0.1'),
  WORKER_CONNECTIONS: integer('WORKER_CONNECTIONS', 1, 100)
    .default(10)
    .describe('mails a `worker` sends at once, 1 to 100'),
  TRUST_PROXY: list()
    .refine((ranges) => ranges.every(isAddressRange), {
      error: 'TRUST_PROXY は 10.0.0.7 や 10.0.0.0/8 の形を「,」で区切って並べてください。',
    })
    .describe('addresses and ranges of your proxies (`10.0.0.7,10.1.0.0/16`), whose `PROXY_HEADER` is trusted'),
  PROXY_HEADER: z
    .preprocess(
      (name) => (typeof name === 'string' ? name.toLowerCase() : name),
      z.enum(PROXY_HEADERS, { error: 'PROXY_HEADER は X-Forwarded-For か Forwarded にしてください。' }),
    )
    .default('x-forwarded-for')
    .describe(
      'the header in which your proxies name the client: `X-Forwarded-For` or `Forwarded` (RFC 7239). The other is ' +
        'ignored. Default `X-Forwarded-For`',
    ),
  MAIL_HOSTS_ALLOWED: list()
    .refine((all) => all.every((one) => isAddressRange(one) || readHostAlone(one) !== null), {
      error: 'MAIL_HOSTS_ALLOWED は mail.example.lan や 10.0.0.0/8 の形を「,」で区切って並べてください。',
    })
    .describe(
      'names, addresses and ranges of mail servers in your own network that members may connect as their mailboxes ' +
        '(`mail.example.lan,10.0.0.0/8`), for `web` and `worker`. Servers of the internet need no entry',
    ),
  ALLOWED_HOSTS: list()
    .refine((hosts) => hosts.every((host) => readHostAlone(host) !== null), {
      error:
        'ALLOWED_HOSTS は kaitaku.example.co.jp や 10.0.0.7 の形を「,」で区切って並べてください（ポートと * は書けません）。',
    })
    .transform((hosts) => hosts.flatMap((host) => readHostAlone(host) ?? []))
    .describe(
      'more names and addresses of `web` (`kaitaku.example.com,10.0.0.7`), besides the host of `PUBLIC_URL`, ' +
        '`localhost`, `127.0.0.1` and `[::1]`. Requests for other hosts get 421',
    ),
  ACCOUNT_HOSTS: list()
    .transform((hosts) => hosts.map((host) => host.toLowerCase()))
    .refine((hosts) => hosts.every(isHostPattern), {
      error:
        'ACCOUNT_HOSTS は *.kaitaku.example.co.jp や sales.example.co.jp の形を「,」で区切って並べてください（* は先頭の1か所だけ、ポートは書けません）。',
    })
    .describe(
      'hosts that `account set-host` may give to accounts (`*.kaitaku.example.co.jp`; `*` is one label). Default: none',
    ),
  CELL: integer('CELL', 0, CELL_MAX)
    .optional()
    .describe(
      'number of this cell, where several installations share hosts and accounts move between them, 0 to ' +
        `${CELL_MAX}: \`migrate\` starts its account ids at CELL × 1,000,000,000 + 1. It cannot change. Default 0`,
    ),
  METRICS_PORT: port('METRICS_PORT')
    .optional()
    .describe(
      'serves metrics of this process at `http://METRICS_HOST:METRICS_PORT/metrics`; a different port for each',
    ),
  METRICS_HOST: host('METRICS_HOST')
    .default('127.0.0.1')
    .describe('address of the metrics, without a log-in: one that only your monitoring can reach'),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `LOG_LEVEL は ${LOG_LEVELS.join('、')} のどれかにしてください。` })
    .optional()
    .describe(
      '`error`, `warn` or `info`. Default `info` for `web` and `worker`, `warn` for the others. Without it, `all` ' +
        'with the bundled database logs to `kaitaku.log` in `DATA_DIR`',
    ),
  TEMPLATE_EDITOR_URL: z
    .string()
    .refine(isEditorUrl, {
      error: 'TEMPLATE_EDITOR_URL は https://editor.example.co.jp/templates/{template_id} の形にしてください。',
    })
    .optional()
    .describe(
      'another template editor, with `{template_id}` in place of the id (with SendGrid that of its template). ' +
        'Default: our editor; with SendGrid its editor',
    ),
  COPYRIGHT_HOLDER: z
    .string()
    .trim()
    .regex(/^[^\p{Cc}]{1,100}$/u, 'COPYRIGHT_HOLDER は1〜100文字にしてください。')
    .default(PRODUCT_NAME)
    .describe('name in the footer of every page'),
  STORED_BYTES_MAX: integer('STORED_BYTES_MAX', 1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe(
      'the most bytes of uploads and exports of all accounts together (`107374182400`: 100 GB); more get 503 ' +
        '`storage_full`. Default: none; the bundled database keeps 1 GB of its disk free in any case',
    ),
  COMPANIES_MAX: integer('COMPANIES_MAX', 1, Number.MAX_SAFE_INTEGER)
    .default(2_000_000)
    .describe(
      'the most companies in the list of an account, without archived ones; more get 409 `too_many_companies`. ' +
        'Default 2000000',
    ),
  PEOPLE_MAX: integer('PEOPLE_MAX', 1, Number.MAX_SAFE_INTEGER)
    .default(2_000_000)
    .describe(
      'the most people of an account, unused ones and those of archived companies too; more get 409 ' +
        '`too_many_people`. Default 2000000',
    ),
  KAITAKU_DEMO: z
    .enum(['0', '1'], { error: 'KAITAKU_DEMO は 0 か 1 にしてください。' })
    .default('1')
    .describe('`0`: the first start of `all` on the bundled database makes no demo account'),
});

export type Environment = z.infer<typeof environment>;
