import { describe, expect, test } from 'vitest';
import { BLANK_PROFILE } from '#domain/law/profile.ts';
import { MAX_TEMPLATE_LENGTH } from '#domain/limits.ts';
import { composeMessage } from '../../platform/mail/compose.ts';
import { finishedMailFaults, legalError } from './legal-footer.ts';
import { type RunMail, renderMail } from './run-mail.ts';

const LEGAL = {
  ...BLANK_PROFILE,
  official_name: '株式会社花',
  department: '営業部',
  postal_code: '100-0001',
  postal_address: '東京都千代田区1-1',
  contact_phone: '03-0000-0000',
  contact_email: 'info@example.jp',
  refusal_email: 'stop@example.jp',
  privacy_url: 'https://example.jp/privacy',
  public_url: 'https://kaitaku.example.jp',
};
const KEY = '0a1b2c3d4e5f40718293a4b5c6d7e8f9';
const TARGET = { company_name: '株式会社<草>', person_in_charge: '', mail_key: KEY };

const mailOf = (change: Partial<RunMail> = {}): RunMail => ({
  subject: '件名',
  text_body: '本文',
  html_body: '<body><p>本文</p></body>',
  sender: { person_in_charge: '担当', email: 'a@example.jp', bcc: [], reply_to: null, signature: '' },
  account: { name: '氏名', company: '会社' },
  candidate_dates: [],
  legal: LEGAL,
  ...change,
});
const renderedOf = (change: Partial<RunMail> = {}) => renderMail(mailOf(change), TARGET);
const codesOf = (change: Partial<RunMail> = {}) =>
  finishedMailFaults(mailOf(change), renderedOf(change), KEY).map(({ code, path }) => `${code} ${path.split('.')[1]}`);

test('a body without fields of the law gets the footer at its end', () => {
  const { text, html } = renderedOf();
  expect(text).toBe(`本文

------------------------------------------------------------
送信者: 株式会社花 営業部
住所: 〒100-0001 東京都千代田区1-1
お問い合わせ・苦情: 03-0000-0000 / info@example.jp
個人情報の取り扱い: https://example.jp/privacy
今後このようなご案内が不要な場合は、次のURLから配信を停止（受信を拒否）できます。
https://kaitaku.example.jp/u/${KEY}
このメールは、貴社が公開されているメールアドレスにお送りしています。
`);
  expect(html).toMatch(/^<body><p>本文<\/p><span style="[^"]*">送信者: 株式会社花 営業部<br>.*<\/span>\n<\/body>$/);
  expect(codesOf()).toStrictEqual([]);
});

test('L8: without a public address the footer names the address for refusals', () => {
  const legal = { ...LEGAL, public_url: null, basis: 'consent' as const };
  const { text, html } = renderedOf({ legal });
  expect(text).toContain(`
今後このようなご案内が不要な場合は、次のメールアドレスへご連絡ください。配信を停止（受信を拒否）いたします。
stop@example.jp
`);
  expect(html).toContain('<a href="mailto:stop@example.jp"');
  expect(codesOf({ legal })).toStrictEqual([]);
  expect(codesOf({ legal, text_body: '本文 {{ legal_footer }}', html_body: '' })).toStrictEqual([]);
});

test('a mail to a person does not say that the company publishes the address; one run has both forms', () => {
  const run = mailOf({ html_body: '<body><p>{{ company_name }}</p></body>' });
  const published = 'このメールは、貴社が公開されているメールアドレスにお送りしています。';
  for (const [person_id, count] of [null, 7, null, 7].map((id) => [id, id === null ? 1 : 0] as const)) {
    const target = { ...TARGET, person_id, company_name: `会社${count}` };
    const rendered = renderMail(run, target);
    for (const body of [rendered.text, rendered.html]) {
      expect(body.split(published)).toHaveLength(1 + count);
      expect(body).toContain(`https://kaitaku.example.jp/u/${KEY}`);
    }
    expect(legalError(run, rendered, target)).toBeNull();
    const bare = { ...rendered, html: rendered.html.replaceAll('株式会社花', '花') };
    expect(legalError(run, bare, target)).toContain('名称がありません');
  }
});

test('lawful 56: values of a profile are escaped, and never read as a template', () => {
  const legal = { ...LEGAL, official_name: '<b>花</b> {{ company_name }} & 草' };
  const { text, html } = renderedOf({ legal });
  expect(text).toContain('送信者: <b>花</b> {{ company_name }} & 草');
  expect(html).toContain('送信者: &lt;b&gt;花&lt;/b&gt; {{ company_name }} &amp; 草');
  expect(codesOf({ legal })).toStrictEqual([]);
});

test('lawful 57: the longest name is one line of the footer, in short lines of the wire', () => {
  const official_name = '𠮷'.repeat(100);
  const legal = { ...LEGAL, official_name, department: '' };
  const rendered = renderedOf({ legal });
  expect(rendered.text.split('\n')).toContain(`送信者: ${official_name}`);
  expect(codesOf({ legal })).toStrictEqual([]);
  const from = { name: '担当', address: 'a@example.jp' };
  const message = composeMessage({ ...rendered, from, to: 'b@example.jp', messageId: '<1@x.jp>', date: new Date(0) });
  for (const line of message.toString('latin1').split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);
});

test('the fields of the law may be used one by one, and filtered', () => {
  const body =
    '{{ legal.official_name }}／{{ legal.postal_address }}／{{ legal.contact }}／配信停止 {{ unsubscribe_url }}';
  const { text, html } = renderedOf({ text_body: body, html_body: `<p>${body}</p>` });
  expect(text).toBe(
    `株式会社花／〒100-0001 東京都千代田区1-1／03-0000-0000 / info@example.jp／配信停止 https://kaitaku.example.jp/u/${KEY}`,
  );
  expect(html).toBe(`<p>${text}</p>`);
  const filtered = renderedOf({ text_body: '本文', html_body: '<p>{{ legal_footer | upcase }}</p>' });
  expect(filtered.html).not.toContain('<span');
  expect(filtered.html).toContain('送信者: 株式会社花');
});

test('the footer stands in a paragraph, however the paragraph is styled', () => {
  const html_body = '<p style="color:#fff;font-size:2px">本文 {{ legal_footer }}</p>';
  expect(codesOf({ html_body })).toStrictEqual([]);
});

describe('L5 to L7 refuse', () => {
  const PARTS = '{{ legal.official_name }}{{ legal.postal_address }}{{ legal.contact }}';
  test.each([
    [
      '48: a footer that is not rendered',
      { text_body: '本文{% if false %}{{ legal_footer }}{% endif %}' },
      'text_body',
    ],
    ['49: a link in a comment', { html_body: `<p>${PARTS}配信停止</p><!-- {{ unsubscribe_url }} -->` }, 'html_body'],
    ['49: a hidden link', { html_body: `<p>${PARTS}配信停止<i hidden>{{ unsubscribe_url }}</i></p>` }, 'html_body'],
    [
      '49: a link of 1 px',
      { html_body: `<p>${PARTS}配信停止<i style="font-size:1px">{{ unsubscribe_url }}</i></p>` },
      'html_body',
    ],
    [
      '52: the text lacks it, the HTML has it',
      { text_body: '本文{% if false %}{{ legal_footer }}{% endif %}' },
      'text_body',
    ],
    ['a footer after an open comment', { html_body: '<p>本文</p><!-- ' }, 'html_body'],
    ['a footer in an open hidden element', { html_body: '<div style="display:none">' }, 'html_body'],
  ])('lawful %s', (_name, change, part) => expect(codesOf(change)).toContain(`L5 ${part}`));

  test('lawful 53: of a mail without HTML the text alone is checked', () =>
    expect(codesOf({ html_body: ' ' })).toStrictEqual([]));

  test('a mail without a refusal place', () => {
    const legal = { ...LEGAL, public_url: null, refusal_email: '' };
    expect(legalError(mailOf({ legal }), renderedOf({ legal }), { mail_key: KEY })).toContain(
      '法定表示がないときに受け付けた',
    );
  });
});

test('the footer of a long template does not count towards its limits', () => {
  expect(renderedOf({ text_body: 'あ'.repeat(MAX_TEMPLATE_LENGTH) }).text).toContain('送信者: 株式会社花');
});
