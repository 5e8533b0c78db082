import { describe, expect, test } from 'vitest';
import { RUN_LEGAL } from '#test/mailing.ts';
import { badLinks, garbledCharacters, mailWarnings } from './mail-warnings.ts';
import { type MailTarget, type RunMail, renderMail } from './run-mail.ts';

const MAIL: RunMail = {
  subject: '件名',
  text_body: '本文',
  html_body: '',
  sender: { person_in_charge: '田中', email: 'a@example.jp', bcc: [], reply_to: null, signature: '' },
  account: { name: '田中', company: '架空商事' },
  candidate_dates: [],
  legal: RUN_LEGAL,
};
const NOW = Date.parse('2026-11-28T12:00:00+09:00');
const TARGET = { company_name: '㈱髙島', person_in_charge: '' };
const warningsOf = (change: Partial<RunMail>, of: Partial<MailTarget> = {}) => {
  const mail = { ...MAIL, ...change };
  const target = { ...TARGET, ...of };
  return mailWarnings(mail, target, renderMail(mail, target), NOW);
};

describe('characters that old mail programs lose', () => {
  test.each([
    ['ご提案：受発注（EDI）の効率化を〜30%、50%−60%～—', []],
    ['①㈱髙﨑 𠮷 ｶﾅ ☎ 😀 ①', [...'①㈱髙﨑𠮷ｶﾅ☎😀']],
    ['漢字 Ａ１ △ α Я ─ 々〆ー\t\n\u3000', []],
  ])('in %j', (text, expected) => {
    expect(garbledCharacters(text)).toStrictEqual(expected);
  });

  test('are warned of once, but not in the names of the company', () => {
    const text_body = '{{ company_name }} ①②①';
    expect(warningsOf({ text_body, html_body: '<p>{{ company_name }} ①</p>' })).toStrictEqual([
      { kind: 'garbled_character', text: '①②' },
    ]);
  });

  test('are those of the name as the mail has it: a ㈱ of the template is warned of beside a written-out one', () => {
    const text_body = '{{ company_name }} ㈱見本';
    expect(warningsOf({ text_body })).toStrictEqual([]);
    expect(warningsOf({ text_body, full_forms: true })).toStrictEqual([{ kind: 'garbled_character', text: '㈱' }]);
    expect(warningsOf({ text_body: '{{ company_name }}', full_forms: true })).toStrictEqual([]);
  });
});

test("blank own fields and parts of a person are warned of, and no characters of a company's own values", () => {
  const text_body =
    '{{ custom.rank2 }}①、{{ custom.b | default: "x" }}{% if person.name != "" %}{{ person.name }}{% endif %}';
  const html_body = '<p>{{ person.department }}</p>';
  const person = { name: '', department: '', title: '' };
  expect(warningsOf({ text_body, html_body }, { merge_values: { custom: { rank2: '' }, person } })).toStrictEqual([
    { kind: 'blank_field', text: 'custom.rank2' },
    { kind: 'blank_field', text: 'person.department' },
    { kind: 'garbled_character', text: '①' },
  ]);
  const known = { custom: { rank2: '①' }, person: { ...person, department: '髙島課' } };
  expect(warningsOf({ text_body, html_body }, { merge_values: known })).toStrictEqual([]);
});

test.each([
  ['https://example.co.jp/a?b=1&amp;c=2', true],
  ['http://例え.jp/', true],
  ['mailto:a@example.jp', true],
  ['tel:03-0000-0000', true],
  ['', false],
  ['#top', false],
  ['/about', false],
  ['www.example.co.jp', false],
  ['https://example', false],
  ['https://', false],
  ['htps://example.co.jp', false],
  ['javascript:alert(1)', false],
  ['mailto:', false],
])('a link to %j can be opened: %s', (link, isOpenable) => {
  const bad = badLinks(`<a class="x" href="${link}">a</a><A HREF='${link}'>b</A>`);
  expect(bad).toStrictEqual(isOpenable ? [] : [link]);
});

describe('images without words are warned of', () => {
  const IMAGE = '<img src="https://example.jp/a.png">';
  const WORDS = '文字'.repeat(10);
  test.each([
    ['with the footer that each body gets', ''],
    ['with a footer where the author wants it', '{{ legal_footer }}'],
    ['with a link of its own', '<a href="{{ unsubscribe_url }}">停止</a>'],
  ])('%s, which is no word of the author', (_name, foot) => {
    expect(warningsOf({ html_body: `<p>${IMAGE}${foot}</p>` })).toStrictEqual([{ kind: 'image_only', text: '' }]);
    expect(warningsOf({ html_body: `<p>${IMAGE}${WORDS}${foot}</p>` })).toStrictEqual([]);
    expect(warningsOf({ html_body: `<p>${foot}</p>` })).toStrictEqual([]);
  });

  test('in the mail to one company, whose link has a key of its own', () => {
    const mail = { ...MAIL, html_body: IMAGE };
    const target = { ...TARGET, mail_key: 'f'.repeat(32) };
    expect(mailWarnings(mail, target, renderMail(mail, target), NOW)).toMatchObject([{ kind: 'image_only' }]);
  });
});

test('a subject of more than 30 characters and bad links are warned of', () => {
  expect(warningsOf({ subject: '字'.repeat(30) })).toStrictEqual([]);
  expect(warningsOf({ subject: '字'.repeat(31) })).toStrictEqual([{ kind: 'long_subject', text: '31' }]);
  expect(warningsOf({ html_body: '<p>本文<a href="example.jp">こちら</a></p>' })).toStrictEqual([
    { kind: 'bad_link', text: 'example.jp' },
  ]);
});

test('bodies of unclosed tags and braces are read once, and what follows is found', () => {
  const bad = '<a href="/about">x</a>';
  expect(badLinks(`${'<a '.repeat(200_000)}${bad}`)).toStrictEqual(['/about']);
  const blank = `{% raw %}{{ ${'a'.repeat(99_000)}{% endraw %}{{ person_in_charge }}`;
  expect(warningsOf({ text_body: blank })).toStrictEqual([{ kind: 'blank_field', text: 'person_in_charge' }]);
  const html_body = `<img ${'<a '.repeat(30_000)}${bad}`;
  expect(warningsOf({ html_body })).toStrictEqual([{ kind: 'bad_link', text: '/about' }]);
});

test('a field with a default hides no other field of its line', () => {
  const text_body = '{{ person_in_charge }} {{ sender.signature | default: "x" }}';
  expect(warningsOf({ text_body })).toStrictEqual([{ kind: 'blank_field', text: 'person_in_charge' }]);
});

describe('what a mail says by mistake', () => {
  test('is warned of once, with its words, for both bodies', () => {
    const text = '○○様\n資料を添付します。\n2026年12月10日（金）、2026年10月19日（月）';
    expect(warningsOf({ text_body: text, html_body: `<p>${text.replaceAll('\n', '<br>')}</p>` })).toStrictEqual([
      { kind: 'placeholder', text: '○○様' },
      { kind: 'no_attachment', text: '資料を添付します' },
      { kind: 'wrong_weekday', text: '2026年12月10日(金)/木' },
      { kind: 'past_date', text: '2026年10月19日(月)' },
    ]);
    expect(warningsOf({ subject: '【会社名】様へ' })).toStrictEqual([{ kind: 'placeholder', text: '【会社名】様' }]);
  });

  test('is not sought in styles, comments and addresses', () => {
    const html_body =
      '<style>p { color: red }</style><!-- {x} --><title>{y}</title><p><a href="https://a.jp/%AF%">本文</a></p>';
    expect(warningsOf({ html_body })).toStrictEqual([]);
  });

  test.each([
    ['110 KB', 3000, true],
    ['60 KB', 1600, false],
  ])('an HTML body of %s', (_, count, isClipped) => {
    const html_body = '<p>あいうえおかきくけこ</p>'.repeat(count);
    expect(warningsOf({ html_body }).map(({ kind }) => kind)).toStrictEqual(isClipped ? ['clipped'] : []);
  });
});
