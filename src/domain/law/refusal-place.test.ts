import { expect, test } from 'vitest';
import { EXAMPLE_MAIL_KEY, isPublicHttps, refusalPlace } from './refusal-place.ts';

const mailKey = '0a1b2c3d-4e5f-4071-8293-a4b5c6d7e8f9';
const refusalEmail = 'stop@example.jp';

test('a mail of a public https origin has its own link, without hyphens', () => {
  const place = refusalPlace({ publicUrl: 'https://kaitaku.example.jp', refusalEmail, mailKey });
  expect(place).toStrictEqual({ url: 'https://kaitaku.example.jp/u/0a1b2c3d4e5f40718293a4b5c6d7e8f9' });
});

test('the example key has the form of a key', () => {
  const place = refusalPlace({ publicUrl: 'https://kaitaku.example.jp', refusalEmail, mailKey: EXAMPLE_MAIL_KEY });
  expect(place).toStrictEqual({ url: `https://kaitaku.example.jp/u/${'0'.repeat(32)}` });
});

test('without a public origin the place is the address of the profile', () => {
  expect(refusalPlace({ publicUrl: 'http://127.0.0.1:3000', refusalEmail, mailKey })).toStrictEqual({
    email: refusalEmail,
  });
});

test.each([null, ''])('there is no place with neither (address %j)', (email) => {
  expect(refusalPlace({ publicUrl: null, refusalEmail: email, mailKey })).toBeNull();
});

test.each([
  'https://kaitaku.example.jp',
  'https://kaitaku.example.jp:8443',
  'https://a.b',
  'https://203.0.114.7',
  'https://172.32.0.1',
  'https://100.128.0.1',
  'https://[2400:4050::1]',
])('%s can be reached from outside', (origin) => expect(isPublicHttps(origin)).toBe(true));

test.each([
  null,
  '',
  'http://kaitaku.example.jp',
  'https://',
  'https://kaitaku.example.jp/path',
  'https://user@kaitaku.example.jp',
  'https://localhost',
  'https://kaitaku',
  'https://kaitaku.',
  'https://mail.local',
  'https://mail.localhost.',
  'https://MAIL.INTERNAL:8443',
  'https://box.home.arpa',
  'https://kaitaku-demo.example',
  'https://127.0.0.1:3000',
  'https://0.0.0.0',
  'https://10.1.2.3',
  'https://172.16.0.1',
  'https://172.31.255.255',
  'https://192.168.1.1',
  'https://169.254.1.1',
  'https://100.64.0.1',
  'https://224.0.0.1',
  'https://255.255.255.255',
  'https://[::1]:3000',
  'https://[fd00::1]',
  'https://[fe80::1]',
  'https://[::ffff:10.0.0.1]',
  'https://[2001:db8::1]',
])('%s cannot', (origin) => expect(isPublicHttps(origin)).toBe(false));
