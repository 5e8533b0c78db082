import { expect, test } from 'vitest';
import { BLANK_PROFILE, profileFaults } from './profile.ts';

const PUBLIC = 'https://kaitaku.example.jp';
const FULL = {
  ...BLANK_PROFILE,
  official_name: '株式会社花',
  postal_code: '100-0001',
  postal_address: '東京都千代田区1-1',
  contact_phone: '03-0000-0000',
};
const codes = (change: Partial<typeof FULL>, publicUrl: string | null = PUBLIC, isConfirmed = true) =>
  profileFaults({ ...FULL, ...change }, isConfirmed, publicUrl).map(
    ({ code, level, path }) => `${code} ${level} ${path.replace('legal_profile.', '')}`,
  );

test('a full and confirmed profile has no fault', () => expect(codes({})).toStrictEqual([]));

test.each([
  ['L1 error official_name', { official_name: '' }],
  ['L2 error postal_code', { postal_code: '' }],
  ['L2 error postal_address', { postal_code: '', postal_address: '' }],
  ['L3 error contact_phone', { contact_phone: '' }],
  ['L9 warning official_name', { official_name: '架空オーダー' }],
])('%s: %j', (expected, change) => expect(codes(change)).toStrictEqual([expected]));

test('L3: one way to reach the sender is enough', () => {
  expect(codes({ contact_phone: '', contact_email: 'a@example.jp' })).toStrictEqual([]);
  expect(codes({ contact_phone: '', contact_url: 'https://a.example.jp' })).toStrictEqual([]);
});

test('L4: an unconfirmed profile has a fault', () =>
  expect(codes({}, PUBLIC, false)).toStrictEqual(['L4 error confirmed']));

test.each(['http://127.0.0.1:3000', 'https://10.0.0.7', null])(
  'L8: with %s the address for refusals is required, and one-click is not there',
  (publicUrl) => {
    expect(codes({}, publicUrl)).toStrictEqual(['L8 error refusal_email', 'L8 warning public_url']);
    expect(codes({ refusal_email: 'stop@example.jp' }, publicUrl)).toStrictEqual(['L8 warning public_url']);
  },
);

test.each([
  '合同会社花',
  '一般社団法人花',
  '花協同組合',
  '㈱花',
  '（株）花',
  'Hana Co., Ltd.',
  '山田 太郎',
  '山田　太郎',
])('L9: %s is a registered name', (official_name) => expect(codes({ official_name })).toStrictEqual([]));
