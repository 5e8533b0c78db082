import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readSettings } from './settings.ts';

test('without any setting everything runs on this machine', () => {
  expect(readSettings({})).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    publicUrl: 'http://127.0.0.1:3000',
    database: { owner: null, rolePrefix: 'kaitaku', roles: { api: null, login: null, service: null } },
    smtp: null,
    sendgrid: null,
    eventKeys: [],
    inbox: null,
    authservId: null,
    returnAddress: null,
    mailCatcher: { smtpPort: 1025, webPort: 1080 },
    demo: true,
    proxies: { ranges: [], header: 'x-forwarded-for' },
    metricsPort: null,
    logLevel: null,
    templateEditorUrl: null,
    copyrightHolder: 'Kaitaku',
  });
});

test.each([
  [
    'smtp://mail.example.com',
    { host: 'mail.example.com', port: 587, secure: false, requireTls: true, credentials: null },
  ],
  ['smtps://mail.example.com', { port: 465, secure: true, requireTls: false }],
  ['smtp://127.0.0.1:25', { port: 25, requireTls: false }],
  ['smtp://me:p%40ss%3A%2F%23@mail.example.com:2525', { port: 2525, credentials: { user: 'me', pass: 'p@ss:/#' } }],
])('SMTP_URL %s', (SMTP_URL, expected) => {
  expect(readSettings({ SMTP_URL }).smtp).toMatchObject(expected);
});

test.each([
  ['smtp://relay.example.com', 'none', false],
  ['smtp://relay.example.com', 'required', true],
  ['smtp://127.0.0.1', 'required', true],
  ['smtp://[::1]', undefined, false],
])('%s with SMTP_STARTTLS=%s', (SMTP_URL, SMTP_STARTTLS, requireTls) => {
  expect(readSettings({ SMTP_URL, SMTP_STARTTLS }).smtp).toMatchObject({ secure: false, requireTls });
});

test('SMTP_STARTTLS beside smtps:// is refused as a contradiction', () => {
  const env = { SMTP_URL: 'smtps://mail.example.com', SMTP_STARTTLS: 'none' };
  expect(() => readSettings(env)).toThrow(/SMTP_STARTTLS は smtp:\/\/ のときだけ/);
});

test('user and password may be settings apart from SMTP_URL', () => {
  const settings = readSettings({ SMTP_URL: 'smtp://mail.example.com', SMTP_USER: 'me', SMTP_PASSWORD: 'a@b:c' });
  expect(settings.smtp?.credentials).toStrictEqual({ user: 'me', pass: 'a@b:c' });
});

test('trusted proxies are a list of addresses and ranges', () => {
  const TRUST_PROXY = '10.0.0.7, 172.16.0.0/12,fd00::/8,';
  const { proxies } = readSettings({ TRUST_PROXY, PROXY_HEADER: 'Forwarded' });
  expect(proxies).toStrictEqual({ ranges: ['10.0.0.7', '172.16.0.0/12', 'fd00::/8'], header: 'forwarded' });
});

test('DNS_SERVERS are addresses with or without a port, in a list', () => {
  const DNS_SERVERS = '192.0.2.53, 192.0.2.54:5353,2001:db8::53,[2001:db8::54]:53,';
  expect(readSettings({ DNS_SERVERS }).dnsServers).toStrictEqual([
    '192.0.2.53',
    '192.0.2.54:5353',
    '2001:db8::53',
    '[2001:db8::54]:53',
  ]);
  expect(readSettings({}).dnsServers).toStrictEqual([]);
});

test('METRICS_PORT and LOG_LEVEL are read', () => {
  expect(readSettings({ METRICS_PORT: '9464', LOG_LEVEL: 'warn' })).toMatchObject({
    metricsPort: 9464,
    logLevel: 'warn',
  });
});

test('TEMPLATE_EDITOR_URL and COPYRIGHT_HOLDER are read as they are written', () => {
  const TEMPLATE_EDITOR_URL = 'https://mc.sendgrid.com/dynamic-templates/{template_id}?from=kaitaku';
  expect(readSettings({ TEMPLATE_EDITOR_URL, COPYRIGHT_HOLDER: ' 株式会社花 & Co. ' })).toMatchObject({
    templateEditorUrl: TEMPLATE_EDITOR_URL,
    copyrightHolder: '株式会社花 & Co.',
  });
});

test('SITE alone is the host of PUBLIC_URL, by https', () => {
  const { publicUrl, allowedHosts } = readSettings({ SITE: 'Kaitaku.example.co.jp' });
  expect([publicUrl, allowedHosts]).toStrictEqual(['https://kaitaku.example.co.jp', ['kaitaku.example.co.jp']]);
  const both = readSettings({ SITE: 'kaitaku.example.co.jp', PUBLIC_URL: 'http://other.example.co.jp' });
  expect(both.publicUrl).toBe('http://other.example.co.jp');
});

test.each(['', 'https://kaitaku.example.co.jp', 'kaitaku.example.co.jp:443', 'kaitaku.example.co.jp/', 'a b', '日本'])(
  'SITE %j is refused, with the form that it must have',
  (SITE) => {
    expect(() => readSettings({ SITE })).toThrow('SITE には、サイトの名前だけを書いてください');
  },
);

test('requests may name the host of PUBLIC_URL and those of ALLOWED_HOSTS', () => {
  const PUBLIC_URL = 'https://Kaitaku.example.co.jp.:8443';
  expect(readSettings({ PUBLIC_URL }).allowedHosts).toStrictEqual(['kaitaku.example.co.jp']);
  expect(readSettings({ HOST: '::1' }).allowedHosts).toStrictEqual(['[::1]']);
  const ALLOWED_HOSTS = ' Kaitaku , 10.0.0.7,2001:DB8:0::7, [::2] ,';
  expect(readSettings({ ALLOWED_HOSTS }).allowedHosts).toStrictEqual([
    '127.0.0.1',
    'kaitaku',
    '10.0.0.7',
    '[2001:db8::7]',
    '[::2]',
  ]);
});

test('bad-inputs 128: a password with reserved characters reaches the database as it is', () => {
  const { database } = readSettings({ DATABASE_URL: 'postgres://me:p%40%3A%2F%23@db.example.com/kaitaku' });
  expect(decodeURIComponent(new URL(database.owner ?? '').password)).toBe('p@:/#');
});

test('mails leave by SMTP or through SendGrid, whose editor the link then leads to', () => {
  const SENDGRID_API_KEY = 'SG.canary.canary';
  const MAIL_FROM = 'no-reply@example.co.jp';
  expect(readSettings({ SENDGRID_API_KEY, MAIL_FROM })).toMatchObject({
    smtp: null,
    sendgrid: { apiKey: SENDGRID_API_KEY },
    templateEditorUrl: null,
  });
  const both = () => readSettings({ SENDGRID_API_KEY, SMTP_URL: 'smtp://mail.example.com' });
  expect(both).toThrow(/SMTP_URL と SENDGRID_API_KEY は同時に設定できません/);
  expect(both).not.toThrow(/canary/);
  const TEMPLATE_EDITOR_URL = 'https://editor.example.jp/{template_id}';
  expect(readSettings({ SENDGRID_API_KEY, MAIL_FROM, TEMPLATE_EDITOR_URL })).toMatchObject({
    templateEditorUrl: TEMPLATE_EDITOR_URL,
  });
});

test('SendGrid without MAIL_FROM is refused, because it accepts only verified addresses', () => {
  expect(() => readSettings({ SENDGRID_API_KEY: 'SG.canary.canary' })).toThrow(/MAIL_FROM も必要です/);
});

test.each([
  ['imaps://in@imap.example.com/INBOX', { host: 'imap.example.com', port: 993, secure: true, requireTls: false }],
  [
    'imap://in%40b.example@imap.example.com/Back',
    { port: 143, requireTls: true, user: 'in@b.example', mailbox: 'Back' },
  ],
  ['imap://in@127.0.0.1:1143/INBOX', { port: 1143, secure: false, requireTls: false, user: 'in' }],
])('INBOX_URL %s', (INBOX_URL, expected) => {
  const { inbox } = readSettings({ INBOX_URL, INBOX_PASSWORD: 'p@ss' });
  expect(inbox).toMatchObject({ ...expected, password: 'p@ss', name: INBOX_URL });
  expect(inbox?.done).toBeNull();
  const moved = readSettings({ INBOX_URL, INBOX_PASSWORD: 'p@ss', INBOX_DONE: 'Kaitaku/読んだ' }).inbox;
  expect(moved?.done).toStrictEqual(['Kaitaku', '読んだ']);
  expect(() => readSettings({ INBOX_URL })).toThrow(/INBOX_PASSWORD も必要/);
  const INBOX_DONE = String(inbox?.mailbox).toLowerCase();
  expect(() => readSettings({ INBOX_URL, INBOX_PASSWORD: 'p@ss', INBOX_DONE })).toThrow(/別のフォルダー/);
});

test.each([
  ['SENDGRID_API_KEY', 'key'],
  ['SENDGRID_URL', 'http://api.sendgrid.com'],
  ['SENDGRID_WEBHOOK_PUBLIC_KEY', 'key'],
  ['INBOX_URL', 'https://user@imap.example.com/INBOX'],
  ['INBOX_URL', 'imaps://imap.example.com/INBOX'],
  ['INBOX_URL', 'imaps://user@imap.example.com'],
  ['INBOX_URL', 'imaps://user:word@imap.example.com/INBOX'],
  ['INBOX_PASSWORD', ''],
  ['INBOX_DONE', ''],
  ['INBOX_DONE', '/Done'],
  ['INBOX_AUTHSERV_ID', 'mx.example.co.jp; dmarc=pass'],
  ['INBOX_AUTHSERV_ID', ''],
  ['RETURN_ADDRESS', 'bounce@example.co.jp'],
  ['RETURN_ADDRESS', 'b-{key}'],
  ['PORT', 'abc'],
  ['PORT', '0'],
  ['PORT', '65536'],
  ['PORT', '１'],
  ['HOST', 'a b'],
  ['HOST', 'a\r\nb'],
  ['DATABASE_URL', ''],
  ['DATABASE_URL', 'mysql://me@db/kaitaku'],
  ['DATABASE_URL', 'kaitaku'],
  ['DATABASE_API_URL', 'mysql://me@db/kaitaku'],
  ['DATABASE_ROLE_PREFIX', 'pg'],
  ['DATABASE_ROLE_PREFIX', 'Kaitaku'],
  ['DATABASE_ROLE_PREFIX', 'a; DROP ROLE b'],
  ['DATABASE_ROLE_PREFIX', 'a'.repeat(51)],
  ['SMTP_URL', 'http://mail.example.com'],
  ['SMTP_URL', 'smtp://'],
  ['SMTP_STARTTLS', ''],
  ['SMTP_STARTTLS', 'optional'],
  ['SMTP_STARTTLS', 'None'],
  ['PUBLIC_URL', 'kaitaku.example.com'],
  ['PUBLIC_URL', 'https://example.com/path'],
  ['PUBLIC_URL', 'https://user:secret@example.com'],
  ['STORED_BYTES_MAX', '0'],
  ['STORED_BYTES_MAX', '100GB'],
  ['WORKER_CONNECTIONS', '0'],
  ['WORKER_CONNECTIONS', '10000'],
  ['MAIL_CATCHER_SMTP_PORT', '-1'],
  ['TRUST_PROXY', 'true'],
  ['TRUST_PROXY', '1'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['TRUST_PROXY', '0.0.0.0/0'],
  ['TRUST_PROXY', '10.0.0.0/8/8'],
  ['PROXY_HEADER', ''],
  ['PROXY_HEADER', 'X-Real-IP'],
  ['DNS_SERVERS', 'dns.example.jp'],
  ['DNS_SERVERS', '192.0.2.53:0'],
  ['DNS_SERVERS', '192.0.2.53:65536'],
  ['DNS_SERVERS', '2001:db8::53:'],
  ['DNS_SERVERS', '[192.0.2.53]:53'],
  ['ALLOWED_HOSTS', '*'],
  ['ALLOWED_HOSTS', '*.example.co.jp'],
  ['ALLOWED_HOSTS', 'https://kaitaku.example.co.jp'],
  ['ALLOWED_HOSTS', 'kaitaku.example.co.jp:3000'],
  ['ALLOWED_HOSTS', '[::1]:3000'],
  ['ALLOWED_HOSTS', 'kaitaku.example.co.jp kaitaku'],
  ['METRICS_PORT', '0'],
  ['LOG_LEVEL', 'debug'],
  ['TEMPLATE_EDITOR_URL', ''],
  ['TEMPLATE_EDITOR_URL', 'editor.example.jp/{template_id}'],
  ['TEMPLATE_EDITOR_URL', 'javascript:alert({template_id})'],
  ['TEMPLATE_EDITOR_URL', 'https://editor.example.jp/{template}'],
  ['COPYRIGHT_HOLDER', ' '],
  ['COPYRIGHT_HOLDER', 'a\nb'],
  ['KAITAKU_DEMO', 'yes'],
  ['KAITAKU_TYPO', '1'],
])('bad-inputs 128, 133, 134, 140, 142: %s=%j is refused by its name', (name, value) => {
  expect(() => readSettings({ [name]: value })).toThrow(name);
});

test('bad-inputs 142, 149: all faults are reported together, without a password', () => {
  const wrong = { PORT: 'x', KAITAKU_TYPO: '1', DATABASE_URL: 'mysql://me:secret@db/k' };
  expect(() => readSettings(wrong)).toThrow(/KAITAKU_TYPO[\s\S]*PORT[\s\S]*DATABASE_URL/);
  expect(() => readSettings(wrong)).not.toThrow(/secret/);
});

describe('DKIM', () => {
  const pem = (modulusLength: number) =>
    generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const key = pem(2048);
  const SMTP_URL = 'smtp://mail.example.com';
  const named = { SMTP_URL, DKIM_DOMAIN: 'Example.co.jp', DKIM_SELECTOR: 'k2026' };

  test.each([key, key.replaceAll('\n', '\\n')])('the key is a PEM, on one line or many', (DKIM_PRIVATE_KEY) => {
    const { smtp } = readSettings({ ...named, DKIM_PRIVATE_KEY });
    expect(smtp?.dkim).toStrictEqual({ domain: 'example.co.jp', selector: 'k2026', privateKey: key.trim() });
  });

  test('without its settings nothing is signed', () => expect(readSettings({ SMTP_URL }).smtp?.dkim).toBeNull());

  test.each<[object, RegExp]>([
    [{ DKIM_PRIVATE_KEY: key }, /DKIM_DOMAIN.*DKIM_SELECTOR/s],
    [named, /DKIM_PRIVATE_KEY/],
    [{ ...named, DKIM_PRIVATE_KEY: key, DKIM_DOMAIN: 'localhost' }, /DKIM_DOMAIN/],
    [{ ...named, DKIM_PRIVATE_KEY: key, DKIM_SELECTOR: 'a b; d=evil' }, /DKIM_SELECTOR/],
    [{ ...named, DKIM_PRIVATE_KEY: pem(512) }, /1024ビット/],
    [{ ...named, DKIM_PRIVATE_KEY: 'hunter2-canary' }, /RSA秘密鍵/],
    [
      {
        ...named,
        DKIM_PRIVATE_KEY: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
      },
      /RSA秘密鍵/,
    ],
  ])('a part that is missing or wrong is told, and no key is repeated (%#)', (env, told) => {
    const message = () => readSettings({ ...env });
    expect(message).toThrow(told);
    expect(message).not.toThrow(/canary|BEGIN|MII/);
  });
});
