import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MERGE_FIELDS } from '#domain/mail/merge-fields.ts';
import { RUN_LEGAL } from '#test/mailing.ts';
import { Problem } from '../../platform/problem.ts';
import { sendGridTemplates } from '../delivery/transports/sendgrid/sendgrid-transport.ts';
import { type MailTarget, mailFields, type RunMail, renderMail } from './run-mail.ts';
import { readTemplate } from './template.ts';
import type { OwnKeys, TemplatePart } from './template-walk.ts';

const MAIL: RunMail = {
  subject: '',
  text_body: '',
  html_body: '',
  sender: { person_in_charge: '見本 花子', email: 'sender@example.com', bcc: [], reply_to: null, signature: '' },
  account: { name: '見本 花子', company: '株式会社見本' },
  candidate_dates: [],
  legal: RUN_LEGAL,
};

const loopOf = (body: string) => `{% for line in candidate_date_lines %}${body}{% endfor %}`;

const faultOf = (source: string, part: TemplatePart = 'html_body', ownKeys?: OwnKeys): string | null => {
  const read = readTemplate(part, source, { ownKeys });
  return read.ok ? null : read.fault;
};

/** `sender.email` of `{ sender: { email } }`. */
function* leaves(value: object, path: string[] = []): Generator<string> {
  for (const [name, part] of Object.entries(value)) {
    if (typeof part === 'object' && !Array.isArray(part)) yield* leaves(part, [...path, name]);
    else yield [...path, name].join('.');
  }
}

test('the offered merge fields are those that mails are filled with', () => {
  const filled = [...leaves(mailFields(MAIL, { company_name: '', person_in_charge: '' }))];
  expect(filled.sort()).toStrictEqual([...MERGE_FIELDS].sort());
});

test.each(MERGE_FIELDS)('{{ %s }} is no fault', (field) => {
  expect(faultOf(`{{ ${field} }}`)).toBeNull();
});

describe('an own field', () => {
  const OWN: OwnKeys = new Map([
    ['rank', false],
    ['event', true],
  ]);

  test.each([
    '{{ custom.rank }}',
    '{{ custom["rank"] | default: "なし" }}',
    '{% if custom.rank.size > 3 %}長{% endif %}',
  ])('%s may be named', (source) => expect(faultOf(source, 'html_body', OWN)).toBeNull());

  test.each([
    ['a\n{{ custom.rnk }}', '2行目：「custom.rnk」という差し込み項目はありません'],
    ['a\n\n{% if custom.event != "" %}x{% endif %}', '3行目：「custom.event」は、いまは使っていない項目です'],
    ['{{ custom }}', '1行目：「custom」という差し込み項目はありません'],
    ['{{ custom.Rank }}', '1行目：「custom.Rank」という差し込み項目はありません'],
    ['{{ custom.rank.first }}', '1行目：「custom.rank.first」という差し込み項目はありません'],
    ['{{ custom["rank.size"] }}', '1行目：「custom["rank.size"]」という差し込み項目はありません'],
    ['{{ custom.__proto__ }}', '1行目：「custom.__proto__」という差し込み項目はありません'],
    ['{{ person }}', '1行目：「person」という差し込み項目はありません'],
    ['{{ person.phone }}', '1行目：「person.phone」という差し込み項目はありません'],
    [loopOf('{{ custom.rank }}'), '1行目：「{% for %}」の中で「custom.rank」は使えません'],
    [loopOf('{{ person.title }}'), '1行目：「{% for %}」の中で「person.title」は使えません'],
  ])('%s is refused at its line', (source, fault) => {
    for (const part of ['html_body', 'text_body'] as const) expect(faultOf(source, part, OWN)).toBe(fault);
    const line = source.replaceAll('\n', '');
    expect(faultOf(line, 'subject', OWN)).toBe(fault.replace(/^\d/, '1'));
  });

  test.each(['{{ custom.rank }}', '{{ person.name }}', '{% if custom.rank != "" %}{{ custom.rank }}{% endif %}'])(
    'a subject of %s alone is refused: it may be blank',
    (source) => {
      expect(faultOf(source, 'subject', OWN)).toMatch(/^条件によっては、件名が空になります/);
      expect(faultOf(`${source}ご案内`, 'subject', OWN)).toBeNull();
    },
  );

  test('the variable of a loop may have the name of a group of fields', () => {
    expect(faultOf('{% for custom in candidate_date_lines %}{{ custom }}{{ custom.size }}{% endfor %}')).toBeNull();
  });

  // Words of Liquid, and properties that it adds to values.
  const WORDS = 'if and or not contains empty blank nil true false size first last constructor custom person'.split(
    ' ',
  );

  test.each(WORDS)('may have the key %s', (key) => {
    const source = `{{ custom.${key} }}、{% if custom.${key} == "値" %}同{% endif %}{{ custom.${key}.size }}`;
    const mail = { ...MAIL, text_body: `。${source}` };
    const known = { company_name: '', person_in_charge: '', merge_values: { custom: { [key]: '値' } } };
    expect(renderMail({ ...mail, subject: '件名' }, known).text).toMatch(/^。値、同1\n/);
    expect(renderMail({ ...mail, subject: '件名' }, { ...known, merge_values: null }).text).toMatch(/^。、0\n/);
  });
});

const USABLE_TAGS = '（使えるタグ：if、unless、case、for、comment、raw）';
const USABLE_FILTERS = '（使えるフィルター：default、strip、upcase、downcase、size）';
const unusableTag = (name: string) => `1行目：「{% ${name} %}」というタグは使えません${USABLE_TAGS}`;
const unusableFilter = (name: string) => `1行目：「${name}」というフィルターは使えません${USABLE_FILTERS}`;
const LOOP_FORM = '1行目：「{% for %}」は「{% for line in candidate_date_lines %}」の形だけが使えます';
const UNREADABLE = '1行目：テンプレートの書き方が正しくありません';
const loop = loopOf;

describe('bad-inputs 122, 212: what a template may not use is refused with its tag or filter and its line', () => {
  test.each([
    ['{{ (1..3000000) | sample: 2 }}', unusableFilter('sample')],
    ['{{ (1..3000000) }}', '1行目：「(1..3000000)」のような範囲は使えません'],
    ['{{ company_name | default: (1..9) }}', '1行目：「(1..9)」のような範囲は使えません'],
    ['{{ candidate_date_lines | map: "size" }}', unusableFilter('map')],
    ['{{ candidate_date_lines | where_exp: "x", "x == 1" }}', unusableFilter('where_exp')],
    ['{{ company_name | url_encode | url_encode }}', unusableFilter('url_encode')],
    ['{{ company_name | constructor }}', unusableFilter('constructor')],
    ['{% if company_name | split: "" %}x{% endif %}', unusableFilter('split')],
    [loop(loop('{{ line }}')), '1行目：「{% for %}」の中で「{% for %}」は使えません'],
    ['{% for x in (1..100000000) %}{% endfor %}', LOOP_FORM],
    ['{% for x in company_name %}{% endfor %}', LOOP_FORM],
    ['{% for x in candidate_date_lines limit: 3 %}{% endfor %}', LOOP_FORM],
    ['{% for x in candidate_date_lines reversed %}{% endfor %}', LOOP_FORM],
    ['{% for forloop in candidate_date_lines %}{% endfor %}', LOOP_FORM],
    ['{% capture a %}{{ a }}{{ a }}{% endcapture %}', unusableTag('capture')],
    ['{% assign a = company_name %}', unusableTag('assign')],
    ['{% liquid\n assign a = 1 %}', unusableTag('liquid')],
    ['{% include "/etc/passwd" %}', unusableTag('include')],
    ['{% render "x" %}', unusableTag('render')],
    ['{% layout "x" %}', unusableTag('layout')],
    ['{%- tablerow x in candidate_date_lines cols:2 -%}{% endtablerow %}', unusableTag('tablerow')],
    ['{% # comment %}', unusableTag('#')],
    ['{% break %}', unusableTag('break')],
    ['{% increment a %}', unusableTag('increment')],
    ['{% __proto__ %}', unusableTag('__proto__')],
    ['{% raw %}{% assign x = 1 %}{% endraw %}{% echo x %}', unusableTag('echo')],
  ])('%s', (source, fault) => {
    for (const part of ['html_body', 'text_body', 'subject'] as const) expect(faultOf(source, part)).toBe(fault);
  });
});

describe('bad-inputs 122: a fault is reported in Japanese, with its line:', () => {
  test.each([
    ['{{ company_nam }}', '1行目：「company_nam」という差し込み項目はありません'],
    ['{{ sender[company_name] }}', '1行目：「sender[company_name]」という差し込み項目はありません'],
    ['\n{{ sender }}', '2行目：「sender」という差し込み項目はありません'],
    ['{{ sender.bcc }}', '1行目：「sender.bcc」という差し込み項目はありません'],
    ['{{ sender["email.size"] }}', '1行目：「sender["email.size"]」という差し込み項目はありません'],
    ['{{ company_name.constructor }}', '1行目：「company_name.constructor」という差し込み項目はありません'],
    ['{{ candidate_date_lines.first }}', '1行目：「candidate_date_lines.first」という差し込み項目はありません'],
    ['{{ "x".size }}', '1行目：「"x".size」という差し込み項目はありません'],
    // Faults that example values do not cause: rare names, and no candidate dates.
    ['{% if company_name == "x" %}{{ oops }}{% endif %}', '1行目：「oops」という差し込み項目はありません'],
    ['{% case company_name %}{% when oops %}{% endcase %}', '1行目：「oops」という差し込み項目はありません'],
    [loop('{{ line.first }}'), '1行目：「line.first」という差し込み項目はありません'],
    [
      '{% for sender in candidate_date_lines %}{{ sender.email }}{% endfor %}',
      '1行目：「sender.email」という差し込み項目はありません',
    ],
    [loop('x{% else %}{{ line }}'), '1行目：「line」という差し込み項目はありません'],
    ['{{ line }}', '1行目：「line」という差し込み項目はありません'],
    [loop('{{ candidate_dates }}'), '1行目：「{% for %}」の中で「candidate_dates」は使えません'],
    [loop('{{ sender.signature }}'), '1行目：「{% for %}」の中で「sender.signature」は使えません'],
    ['a\nb{% endif %}', '2行目：「{% endif %}」に対応する始まりのタグがありません'],
    ['{% else %}', '1行目：「{% else %}」に対応する始まりのタグがありません'],
    ['{% if company_name', '1行目：「{%」が「%}」で閉じられていません'],
    ['\n\n{% if company_name %}x', '3行目：「{% if company_name %}」を閉じるタグがありません'],
    ['{{ company_name', '1行目：「{{」が「}}」で閉じられていません'],
    ['{% raw %}{{ x }}', '1行目：「{% raw %}」が「{% endraw %}」で閉じられていません'],
    ['{% comment %}', '1行目：「{% comment %}」を閉じるタグがありません'],
    ['{% for x in %}{% endfor %}', LOOP_FORM],
    ['{{ }}', UNREADABLE],
    ['{%-%}', UNREADABLE],
    ['{% if company_name = "x" %}{% endif %}', UNREADABLE],
    ['{% if company_name account.name %}{% endif %}', UNREADABLE],
    ['{% if and company_name %}{% endif %}', UNREADABLE],
    ['{% if company_name == not account.name %}{% endif %}', UNREADABLE],
    [`{{ ${'x'.repeat(400)} }}`, `1行目：「${'x'.repeat(40)}」という差し込み項目はありません`],
    ['{{ company_name }}\n{{ b }}\n{{ a }}\n{{ b }}', '2行目：「b」という差し込み項目はありません'],
  ])('%j', (source, fault) => {
    expect(faultOf(source)).toBe(fault);
  });
});

test.each([
  '{% if candidate_dates != "" %}{% for line in candidate_date_lines %}{{ line }}<br>{% endfor %}{% endif %}',
  '{%- for line in candidate_date_lines -%}{{ forloop.index }}{{ line | upcase }}{% else %}なし{%- endfor -%}',
  '{{ account.company | default: "弊社" | strip }}{{ company_name | size }}{{ company_name.size }}{{ sender["email"] }}',
  '{% raw %}{{ anything }}{% assign %}{% endraw %}{% comment %}{{ anything }}{% assign %}{% endcomment %}',
  '{% unless company_name contains "A" or not account.name == blank %}x{% elsif true %}y{% else %}z{% endunless %}',
  '{% case person_in_charge %}{% when "ご担当者様", "x" %}a{% when empty %}b{% else %}c{% endcase %}',
])('%s is no fault', (source) => {
  expect(faultOf(source)).toBeNull();
});

test('the note that replaces the body of a SendGrid template passes the check', () => {
  const stored = { text_body: '', html_body: '', sendgrid_template_id: `d-${'0'.repeat(32)}` };
  const bodies = sendGridTemplates.bodiesOf(stored, ['rank']);
  if (bodies instanceof Problem) throw new Error(bodies.message);
  const { text_body, html_body } = bodies;
  expect([faultOf(text_body, 'text_body'), faultOf(html_body)]).toStrictEqual([null, null]);
});

describe('a subject', () => {
  test.each([
    ['{{ candidate_dates }}ご案内', '1行目：件名に改行が入る場合があります'],
    ['{{ sender.signature }}ご案内', '1行目：件名に改行が入る場合があります'],
    ['{{ account.name | default: candidate_dates }}ご案内', '1行目：件名に改行が入る場合があります'],
    ['ご案内{{ "\\n" }}', '1行目：件名に使えない文字が含まれています。消して、入力し直してください'],
    ['{% if candidate_dates != "" %}ご\u202E案内{% else %}x{% endif %}', expect.stringContaining('使えない文字')],
    ['{% if candidate_dates != "" %}ご案内{% endif %}', expect.stringMatching(/^条件によっては、件名が空になります/)],
    ['{{ account.company }}', expect.stringMatching(/^条件によっては、件名が空になります/)],
    ['{{ company_name | strip: company_name }}', expect.stringMatching(/^条件によっては、件名が空になります/)],
    ['{{ company_name }}', null],
    ['{{ account.company | default: "弊社" }}', null],
    ['{% if candidate_dates != "" %}日程の{% elsif true %}a{% else %}ご案内{% endif %}', null],
  ])('%j', (source, fault) => {
    expect(faultOf(source, 'subject')).toStrictEqual(fault);
  });
});

describe('the size of a template is bounded:', () => {
  const TAG = '{{ company_name }}';
  const nested = (depth: number) => '{% if true %}'.repeat(depth) + '{% endif %}'.repeat(depth);
  test.each([
    ['characters', 'あ'.repeat(100_000), 'あ', '1行目：100000文字以下にしてください'],
    ['tags', TAG.repeat(500), TAG, '1行目：タグと差し込み項目は、合わせて500個までにしてください'],
    ['levels', nested(10), null, '1行目：タグの入れ子は10段までにしてください'],
    ['characters of a tag', `{{"${'x'.repeat(494)}"}}`, null, '1行目：1つのタグは500文字以下にしてください'],
    ['characters of loops', loop('x'.repeat(1950)), null, expect.stringContaining('合わせて2000文字以下')],
  ])('%s', (name, largest, more, fault) => {
    expect(faultOf(largest)).toBeNull();
    const tooLarge = more === null ? ({ levels: nested(11) }[name] ?? largest.replace('x', 'xx')) : largest + more;
    expect(faultOf(tooLarge)).toStrictEqual(fault);
  });

  test('10,000 levels and 20,000 tags are refused without a stack overflow', () => {
    expect(faultOf('{% if true %}'.repeat(7000))).toContain('500個まで');
    expect(faultOf(`{{ ${'a['.repeat(10_000)} }}`)).toContain('500文字以下');
    expect(faultOf(`{% if ${'('.repeat(10_000)} %}`)).toContain('500文字以下');
  });
});

const OWN_KEYS = ['rank', 'event', 'size'];
const text = fc.constantFrom('', 'A', '1,234', '2026年10月15日', 'はい', '<b>&"', '株式'.repeat(250));

/** What a mail keeps from its acceptance: all that its templates name, a part (an older run), or nothing (blanked). */
const mergeValues = fc.option(
  fc.record(
    {
      custom: fc.record({ rank: text, event: text, size: text }, { requiredKeys: [] }),
      person: fc.record({ name: text, department: text, title: text }),
    },
    { requiredKeys: [] },
  ),
);

/** Mails as runs have them: with and without a person, values, a company of the account, dates. */
const mails: fc.Arbitrary<{ mail: RunMail; target: MailTarget }> = fc
  .record({
    company_name: fc.constantFrom('株式会社見本', '<b>&', '{{ x }}', 'ﬀß'.repeat(50)),
    person_in_charge: fc.constantFrom('', '山田 太郎'),
    merge_values: mergeValues,
    person_id: fc.constantFrom(null, 7),
    company: fc.constantFrom('', '弊社'),
    dates: fc.constantFrom(0, 1, 100),
  })
  .map(({ dates, company, ...target }) => {
    const candidate_dates = Array.from({ length: dates }, () => '・11月24日(火) 9:00〜18:00');
    return { mail: { ...MAIL, candidate_dates, account: { name: '見本', company } }, target };
  });

const mostly = (good: readonly string[], bad: readonly string[]) =>
  fc.oneof({ weight: 30, arbitrary: fc.constantFrom(...good) }, { weight: 1, arbitrary: fc.constantFrom(...bad) });
const value = mostly(
  [
    ...MERGE_FIELDS,
    ...OWN_KEYS.map((key) => `custom.${key}`),
    'custom["rank"].size',
    'company_name.size',
    '"株式"',
    '""',
    '1',
    '-2.5',
    'true',
    'nil',
    'empty',
    'blank',
  ],
  ['line', 'line.size', 'forloop.index', 'candidate_date_lines[0]', 'x', "'\\n'", '(1..3)', '[1]'],
);
const filter = mostly(
  ['strip', 'upcase', 'downcase', 'size', 'default', 'default: account.company', 'strip: "株"', 'strip: empty'],
  ['strip: ', 'default: ', 'default: nil, allow_false: true', 'upcase: 1, 2', 'append: "x"', 'default: x'],
);
const operator = mostly(['==', '!=', '<', '>=', 'contains', 'and', 'or', 'and not'], ['not', '', '=']);
const expression = fc
  .tuple(value, fc.array(fc.tuple(operator, value), { maxLength: 2 }), fc.array(filter, { maxLength: 2 }))
  .map(([first, rest, filters]) => [first, ...rest.flat(), ...filters.map((name) => `| ${name}`)].join(' '));
const { body } = fc.letrec<{ body: string; part: string }>((tie) => ({
  body: fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
  part: fc.oneof(
    { depthSize: 'small' },
    mostly(
      ['文', '\n', ' ', '<p>', '{% raw %}{{ x }}{% endraw %}', '{{- line }}'],
      ['{{', '%}', '{% else %}', '{%- endif -%}'],
    ),
    expression.map((e) => `{{ ${e} }}`),
    fc
      .tuple(expression, tie('body'), expression, tie('body'))
      .map(([a, x, b, y]) => `{% if ${a} %}${x}{% elsif ${b} %}${y}{% endif %}`),
    fc
      .tuple(expression, tie('body'), tie('body'))
      .map(([a, x, y]) => `{%- unless ${a} -%}${x}{% else %}${y}{% endunless %}`),
    fc
      .tuple(value, value, tie('body'), tie('body'))
      .map(([a, b, x, y]) => `{% case ${a} %}{% when ${b}, ${a} %}${x}{% else %}${y}{% endcase %}`),
    tie('body').map((x) => `{% for line in candidate_date_lines %}${x}{% endfor %}`),
    fc
      .tuple(tie('body'), tie('body'))
      .map(([x, y]) => `{% for line in candidate_date_lines %}${x}{% else %}${y}{% endfor %}`),
  ),
}));

const RUNS = 2000;

test('a template that passes the check never fails to render, and subject and text are never blank', () => {
  let passed = 0;
  fc.assert(
    fc.property(
      body,
      fc.constantFrom<TemplatePart>('subject', 'text_body', 'html_body'),
      mails,
      (source, part, { mail, target }) => {
        const read = readTemplate(part, source);
        if (!read.ok) return;
        passed += 1;
        const made = read.render(mailFields({ ...mail, [part]: source }, target));
        if (part !== 'html_body') expect(made.trim()).not.toBe('');
      },
    ),
    { numRuns: RUNS },
  );
  expect(passed).toBeGreaterThan(RUNS / 20);
});

test('letters with own fields and people render for all values, and leave no braces', () => {
  const named = MERGE_FIELDS.filter((name) => !/^candidate|signature|footer|url/.test(name));
  const output = fc.constantFrom(...named, ...OWN_KEYS.map((key) => `custom.${key}`));
  const piece = fc.oneof(
    output.map((name) => `{{ ${name} }}`),
    output.map((name) => `{{ ${name} | default: "御社" | strip }}`),
    fc.tuple(output, output).map(([a, b]) => `{% if ${a} != "" %}先日の{{ ${b} }}では{% else %}突然{% endif %}`),
    fc.tuple(output, output).map(([a, b]) => `{% case ${a} %}{% when "A", ${b} %}A{% else %}{{ ${a} }}{% endcase %}`),
  );
  const letter = fc.array(piece, { maxLength: 6 }).map((pieces) => `ご案内${pieces.join('、')}`);
  fc.assert(
    fc.property(letter, letter, letter, mails, (subject, text_body, html, { mail, target }) => {
      const company_name = target.company_name.replace(/[{}]/g, '');
      const run = { ...mail, subject, text_body, html_body: `<p>${html}</p>` };
      const rendered = Object.values(renderMail(run, { ...target, company_name })).join('\n');
      expect(rendered).not.toMatch(/\{[{%]|undefined|null|\[object/);
    }),
    { numRuns: RUNS / 4 },
  );
});

test('the largest mails that pass are bounded', () => {
  const known = mailFields(
    { ...MAIL, candidate_dates: Array.from({ length: 100 }, () => '・11月24日(火) 9:00〜18:00') },
    { company_name: '𠮷'.repeat(100), person_in_charge: '' },
  );
  const lines = loop(`${'{{company_name}}'.repeat(110)}${'x'.repeat(180)}`);
  for (const source of ['{{candidate_dates}}'.repeat(500), `${lines}${'x'.repeat(90_000)}`]) {
    const read = readTemplate('html_body', source);
    expect(read.ok && read.render(known).length).toBeLessThan(4_000_000);
  }
});
