import { describe, expect, test } from 'vitest';
import { MERGE_FIELDS } from '#domain/merge-fields.ts';
import { mailFields } from '../sending/run-mail.ts';
import { EXAMPLE_MAIL } from './example-mail.ts';
import { templateFaults } from './template-faults.ts';

const NOW = Date.UTC(2026, 10, 21);
const faultOf = async (template: string) =>
  (await templateFaults({ html_body: template }, NOW)).map(({ message }) => message)[0] ?? null;

/** `sender.email` of `{ sender: { email } }`. */
function* leaves(value: object, path: string[] = []): Generator<string> {
  for (const [name, part] of Object.entries(value)) {
    if (typeof part === 'object' && !Array.isArray(part)) yield* leaves(part, [...path, name]);
    else yield [...path, name].join('.');
  }
}

test('the merge fields on offer are those that mails are filled with; other people’s bcc is not', () => {
  const filled = [...leaves(mailFields(EXAMPLE_MAIL, { company_name: '', person_in_charge: '' }))];
  expect(filled.filter((name) => name !== 'sender.bcc').sort()).toStrictEqual([...MERGE_FIELDS].sort());
});

test.each(MERGE_FIELDS)('{{ %s }} is no fault', async (field) => {
  expect(await faultOf(`{{ ${field} }}`)).toBeNull();
});

describe('a fault is told in Japanese, with its line:', () => {
  test.each([
    ['{{ company_nam }}', '1行目：「company_nam」という差し込み項目はありません'],
    ['{{ sender[company_name] }}', '1行目：「sender.company_name」という差し込み項目はありません'],
    ['\n{{ sender }}', '2行目：「sender」という差し込み項目はありません'],
    ['{{ company_name | upcas }}', '1行目：「upcas」というフィルターはありません'],
    ['{% bogus %}', '1行目：「{% bogus %}」というタグはありません'],
    ['a\nb{% endif %}', '2行目：「{% endif %}」に対応する始まりのタグがありません'],
    ['{% else %}', '1行目：「{% else %}」に対応する始まりのタグがありません'],
    ['{% if company_name', '1行目：「{%」が「%}」で閉じられていません'],
    ['\n\n{% if company_name %}x', '3行目：「{% if company_name %}」を閉じるタグがありません'],
    ['{{ company_name', '1行目：「{{」が「}}」で閉じられていません'],
    ['{% raw %}{{ x }}', '1行目：「{% raw %}」が「{% endraw %}」で閉じられていません'],
    ['{% comment %}', '1行目：「{% comment %}」を閉じるタグがありません'],
    ['{% include "/etc/passwd" %}', '1行目：ほかのテンプレートは読み込めません'],
    ['{% for i in (1..100000000) %}{% endfor %}', '1行目：処理の量が多すぎます。繰り返しを減らしてください'],
    ['{% for x in %}{% endfor %}', '1行目：テンプレートの書き方が正しくありません'],
    ['{{ }}', '1行目：テンプレートの書き方が正しくありません'],
    [`{{ ${'x'.repeat(500)} }}`, `1行目：「${'x'.repeat(40)}」という差し込み項目はありません`],
  ])('%j', async (template, fault) => {
    expect(await faultOf(template)).toBe(fault);
  });

  test('of several, the first', async () => {
    expect(await faultOf('{{ company_name }}\n{{ b }}\n{{ a }}\n{{ b }}')).toMatch(/^2行目：「b」/);
  });
});

test.each([
  '{% if candidate_dates != "" %}{% for line in candidate_date_lines %}{{ line }}<br>{% endfor %}{% endif %}',
  '{% assign greeting = company_name | append: "御中" %}{{ greeting }}',
  '{% for line in candidate_date_lines %}{{ forloop.index }}{% endfor %}',
  '{{ account.company | default: "弊社" }}{{ company_name | size }}{{ company_name.size }}',
  '{% raw %}{{ anything }}{% endraw %}{% comment %}{{ anything }}{% endcomment %}',
])('%s is no fault', async (template) => {
  expect(await faultOf(template)).toBeNull();
});
