import { expect, test } from 'vitest';
import { asksToStop } from './reply.ts';

const LINK = `https://mail.example.jp/u/${'0'.repeat(32)}`;

test.each([
  '配信停止',
  'お世話になっております。\n配信停止をお願いします。',
  '配信 停止 希望',
  '配信を停止してください',
  '配信不要です。',
  '配信の停止をお願いします。',
  '配信は不要です。',
  'メール配信の解除を希望します',
  'このような営業メールは送信しないでください',
  // A mail program that breaks lines after a number of letters.
  'お世話になっております。お手数をおかけしますが、弊社あてのご案内の配信停\n止をお願いします。',
  'このようなメールは送らないでください。',
  '今後のご案内は不要です',
  '今後は、お断りいたします。',
  '今後このようなメールはご遠慮ください',
  'Please UNSUBSCRIBE me.',
  'ＵＮＳＵＢＳＣＲＩＢＥ',
])('%j asks for no more mails', (text) => {
  expect(asksToStop(text)).toBe(true);
});

test.each([
  '',
  '資料をお送りください。',
  '今後ともよろしくお願いいたします。',
  '今後ともよろしくお願いいたします。見積書の郵送までは必要ございませんので、押印は不要です。',
  '今後ともよろしくお願いいたします\n押印は不要です',
  '配信について知りたいのですが、\n停止中の機能はありますか',
  // A mail program that does not mark what it quotes.
  `ありがとうございます。\n今後このようなご案内が不要な場合は、次のURLから配信を停止（受信を拒否）できます。\n${LINK}`,
  `配信停止はこちら: ${LINK}`,
])('%j does not', (text) => {
  expect(asksToStop(text)).toBe(false);
});

test.each([
  ['配信停止希望', true],
  ['Re: 配信停止のお知らせ', false],
  ['RE：配信停止のお知らせ', false],
  ['お問い合わせ', false],
])('the subject %j alone: %s', (subject, expected) => {
  expect(asksToStop('', subject)).toBe(expected);
});
