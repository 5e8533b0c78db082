import { expect, test } from 'vitest';
import { mailFaults, subjectFaults, type VisibleText } from './mail.ts';
import { BLANK_PROFILE } from './profile.ts';

const PROFILE = {
  ...BLANK_PROFILE,
  official_name: '株式会社 花',
  postal_code: '100-0001',
  postal_address: '東京都千代田区1-1',
  contact_phone: '03-0000-0000',
  contact_email: 'info@example.jp',
};
const URL_PLACE = { url: 'https://kaitaku.example.jp/u/0a1b2c3d4e5f40718293a4b5c6d7e8f9' };
const EMAIL_PLACE = { email: 'stop@example.jp' };
const SENDER = '株式会社 花 東京都千代田区1-1 03-0000-0000';

const visible = (text: string, more: Partial<VisibleText> = {}): VisibleText => ({
  text,
  links: [],
  unreadable: [],
  ...more,
});
const faultsOf = (
  text: string,
  place: typeof URL_PLACE | typeof EMAIL_PLACE = URL_PLACE,
  more: Partial<VisibleText> = {},
) =>
  mailFaults({ text_body: visible(text, more), html_body: null }, PROFILE, place).map(
    ({ code, level, message }) => `${code} ${level}${code === 'L7' ? ` ${/の(..|...)が/.exec(message)?.[1]}` : ''}`,
  );

test('a mail with name, address, contact, place and notice has no fault', () => {
  expect(faultsOf(`${SENDER}\n配信停止: ${URL_PLACE.url}`)).toStrictEqual([]);
  expect(faultsOf(`${SENDER}\n配信停止: stop@example.jp`, EMAIL_PLACE)).toStrictEqual([]);
});

test('white space within name, address and contact is ignored', () =>
  expect(faultsOf(`株式会社花\n東京都\n千代田区1-1 info@example.jp 配信停止 ${URL_PLACE.url}`)).toStrictEqual([]));

test.each([
  ['L5 error', SENDER],
  ['L5 error', `${SENDER} 配信停止 https://kaitaku.example.jp/u/00000000000000000000000000000000`],
  ['L7 error 名称', `株式会社草 東京都千代田区1-1 03-0000-0000 配信停止 ${URL_PLACE.url}`],
  ['L7 error 住所', `株式会社花 大阪府1-1 03-0000-0000 配信停止 ${URL_PLACE.url}`],
  ['L7 error 連絡先', `株式会社花 東京都千代田区1-1 配信停止 ${URL_PLACE.url}`],
])('%s: %s', (expected, text) => expect(faultsOf(text)).toStrictEqual([expected]));

test.each([
  [`${SENDER} 配信停止${'。'.repeat(116)}${URL_PLACE.url}`, []],
  [`${SENDER} 配信停止${'。'.repeat(117)}${URL_PLACE.url}`, ['L6 error']],
  [`${SENDER} ${URL_PLACE.url}${'。'.repeat(100)}受信を拒否できます`, []],
  // One of two places with its notice is enough.
  [`${URL_PLACE.url}${'。'.repeat(200)}${URL_PLACE.url} 配信解除 ${SENDER}`, []],
])('L6: the notice is within 120 characters of the place (%#)', (text, expected) =>
  expect(faultsOf(text)).toStrictEqual(expected),
);

test.each(['nonstop@example.jp', 'stop@example.jp.evil.example', 'stop@example.jpn', 'x.stop@example.jp'])(
  'L5: %s is another address',
  (address) => expect(faultsOf(`${SENDER} 配信停止 ${address}`, EMAIL_PLACE)).toStrictEqual(['L5 error']),
);

test('L5: a link with visible words leads to the place', () => {
  const text = `${SENDER} 配信停止はこちら`;
  const at = { start: text.length - 3, end: text.length };
  expect(faultsOf(text, URL_PLACE, { links: [{ href: URL_PLACE.url, ...at }] })).toStrictEqual([]);
  expect(faultsOf(text, EMAIL_PLACE, { links: [{ href: 'mailto:STOP@example.jp?subject=x', ...at }] })).toStrictEqual(
    [],
  );
  expect(faultsOf(text, URL_PLACE, { links: [{ href: URL_PLACE.url, start: at.end, end: at.end }] })).toStrictEqual([
    'L5 error',
  ]);
  expect(faultsOf(text, URL_PLACE, { links: [{ href: 'https://a.example.jp', ...at }] })).toStrictEqual(['L5 error']);
});

test('lawful 49: L5: a place in the colour of its background is a warning', () => {
  const text = `${SENDER} 配信停止 ${URL_PLACE.url}`;
  const unreadable = [{ start: text.indexOf('https'), end: text.length }];
  expect(faultsOf(text, URL_PLACE, { unreadable })).toStrictEqual(['L5 warning']);
});

test('each body is checked separately', () => {
  const faults = mailFaults(
    { text_body: visible('本文'), html_body: visible(`${SENDER} 配信停止 ${URL_PLACE.url}`) },
    PROFILE,
    URL_PLACE,
  );
  expect(new Set(faults.map(({ path }) => path))).toStrictEqual(new Set(['mail_template.text_body']));
});

test.each(['Re: ご提案', 'RE：ご提案', 'ｆｗ: ご提案', '【重要】お知らせ', 'ご請求の件', '[Fwd: x'])(
  'L11: the subject %s looks like an answer or a bill',
  (subject) => expect(subjectFaults(subject)).toMatchObject([{ code: 'L11', level: 'warning' }]),
);
test.each(['ご提案', 'Recommendation', '業務の重要な見直し'])('the subject %s does not', (subject) =>
  expect(subjectFaults(subject)).toStrictEqual([]),
);
