import { describe, expect, test } from 'vitest';
import { readSettings } from '../settings.ts';
import { hasSystemSender, systemSender } from './system-sender.ts';

const NOBODY = async () => null;
const SMTP_URL = 'smtp://127.0.0.1:25';

/** The sender of a mail to an unproven address, which only the settings can give one. */
const senderBy = (env: NodeJS.ProcessEnv) =>
  systemSender(readSettings(env), NOBODY)({ to: 'hanako@example.jp', reader: 'anybody' });

test.each([
  ['MAIL_FROM', { SMTP_URL, MAIL_FROM: '開拓 <a@example.jp>' }, { name: '開拓', address: 'a@example.jp' }],
  ['SMTP_USER', { SMTP_URL, SMTP_USER: 'a@example.jp' }, { name: 'Kaitaku', address: 'a@example.jp' }],
  [
    'the user in SMTP_URL',
    { SMTP_URL: 'smtp://a%40example.jp:x@127.0.0.1' },
    { name: 'Kaitaku', address: 'a@example.jp' },
  ],
  [
    'the host of PUBLIC_URL, without its port',
    { SMTP_URL, PUBLIC_URL: 'https://kaitaku.example.co.jp:8443' },
    { name: 'Kaitaku', address: 'no-reply@kaitaku.example.co.jp' },
  ],
  ['the mail catcher, whose mails reach nobody', {}, { name: 'Kaitaku', address: 'no-reply@kaitaku.invalid' }],
])('a mail to anybody leaves by %s', async (_, env, sender) => {
  expect(await senderBy(env)).toStrictEqual(sender);
  expect(hasSystemSender(readSettings(env))).toBe(true);
});

describe('no sender comes from', () => {
  test.each([
    ['a log-in that is no address', { SMTP_USER: 'apikey' }],
    ['a log-in at a host without a dot', { SMTP_USER: 'root@localhost' }],
    ['http', { PUBLIC_URL: 'http://kaitaku.example.co.jp' }],
    ['a private name', { PUBLIC_URL: 'https://kaitaku.local' }],
    ['a name without a dot', { PUBLIC_URL: 'https://kaitaku' }],
    ['an IP address', { PUBLIC_URL: 'https://8.8.8.8' }],
    ['an IPv6 address', { PUBLIC_URL: 'https://[2400:cb00::1]' }],
    ['this machine', {}],
  ])('%s', async (_, env) => {
    expect(await senderBy({ SMTP_URL, ...env })).toBeNull();
    expect(hasSystemSender(readSettings({ SMTP_URL, ...env }))).toBe(false);
  });
});
