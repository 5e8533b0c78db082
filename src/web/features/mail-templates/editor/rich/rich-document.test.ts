import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { readHtml } from './read-html.ts';
import { readText } from './read-text.ts';
import { type Block, BOLD, type Inline, linkTo, liquid, type RichDocument } from './rich-document.ts';
import { writeHtml } from './write-html.ts';
import { writeText } from './write-text.ts';

const doc = (...content: Block[]): RichDocument => ({ type: 'doc', content });
const p = (...content: Inline[]): Block =>
  content.length === 0 ? { type: 'paragraph' } : { type: 'paragraph', content };
const text = (value: string): Inline => ({ type: 'text', text: value });
const BREAK: Inline = { type: 'hardBreak' };
const NAME = liquid('{{ company_name }}');
const DATES = liquid('{{ candidate_dates }}');
const item = (...content: Block[]) => ({ type: 'listItem' as const, content });

/** Returns the blocks of the HTML part, without the document around them. */
const bodyOf = (document: RichDocument) => /<body[^>]*>\n([\s\S]*)\n<\/body>/.exec(writeHtml(document))?.[1];

const LETTER = doc(
  p(NAME, BREAK, liquid('{{ person_in_charge }}')),
  p(
    text('A & B <社>、'),
    { ...text('太字'), marks: [BOLD] },
    { ...text('資料'), marks: [linkTo('https://example.jp/?a=1&b=2')] },
  ),
  { type: 'bulletList', content: [item(p(text('一'))), item(p(text('二')), p(text('続き')))] },
  { type: 'orderedList', content: [item(p(text('甲'))), item(p(text('乙')))] },
  { type: 'dates', content: [p(text('候補日です。')), p(DATES)] },
  p(text('何卒')),
);

test('the HTML part has inline styles, escaped text, a loop over the dates, and no style element', () => {
  expect(
    bodyOf(LETTER)
      ?.replaceAll(/ style="[^"]*"/g, '')
      .split('\n'),
  ).toEqual([
    '<p>{{ company_name }}<br>{{ person_in_charge }}</p>',
    '<p>A &amp; B &lt;社&gt;、<strong>太字</strong><a href="https://example.jp/?a=1&amp;b=2">資料</a></p>',
    '<ul>',
    '<li>一</li>',
    '<li><p>二</p>',
    '<p>続き</p></li>',
    '</ul>',
    '<ol>',
    '<li>甲</li>',
    '<li>乙</li>',
    '</ol>',
    '{% if candidate_dates != "" %}',
    '<p>候補日です。</p>',
    '<p>{% for line in candidate_date_lines %}{{ line }}<br>{% endfor %}</p>',
    '{% endif %}',
    '<p>何卒</p>',
  ]);
});

test('the text part has the same content: links with their address, lists with ・ and numbers', () => {
  expect(writeText(LETTER).split('\n')).toEqual([
    '{{ company_name }}',
    '{{ person_in_charge }}',
    '',
    'A & B <社>、太字資料（https://example.jp/?a=1&b=2）',
    '',
    '・一',
    '・二',
    '　続き',
    '',
    '1. 甲',
    '2. 乙',
    '{% if candidate_dates != "" %}',
    '候補日です。',
    '',
    '{{ candidate_dates }}',
    '{% endif %}',
    '何卒',
    '',
  ]);
});

it.each([
  ['https://example.jp/', 'https://example.jp/', 'https://example.jp/'],
  ['info@example.jp', 'mailto:info@example.jp', 'info@example.jp'],
  ['お電話', 'tel:03-0000-0000', 'お電話（03-0000-0000）'],
])('a link %s is written as text without repeating itself', (words, href, written) => {
  expect(writeText(doc(p({ ...text(words), marks: [linkTo(href)] })))).toBe(`${written}\n`);
});

test('Liquid that was typed as text is written as Liquid: within text, as a line of tags, and in a link', () => {
  const link = linkTo('https://example.jp/?a=1&b={{ company_name | default: "x" }}');
  const typed = doc(
    p(text('{% if candidate_dates != "" %}')),
    p(text('A & {{  company_name | default: "b & c"  }} <様>'), { ...text('資料'), marks: [link] }),
    p(text('{% endif %}')),
  );
  expect(bodyOf(typed)?.replaceAll(/ style="[^"]*"/g, '')).toBe(
    [
      '{% if candidate_dates != "" %}',
      '<p>A &amp; {{  company_name | default: "b & c"  }} &lt;様&gt;' +
        `<a href="https://example.jp/?a=1&amp;b={{ company_name | default: 'x' }}">資料</a></p>`,
      '{% endif %}',
    ].join('\n'),
  );
  expect(writeText(typed)).toMatch(/^\{% if candidate_dates != "" %\}\nA & .*\n\{% endif %\}\n$/);
  expect(writeHtml(readHtml(writeHtml(typed)).document)).toBe(writeHtml(typed));
});

describe('a document', () => {
  const words = fc.constantFrom('会社', ' a ', 'x  y', '<b>&amp;</b>', '"', '。');
  const marks = fc.constantFrom<Inline['marks']>(
    undefined,
    [BOLD],
    [linkTo('https://example.jp/')],
    [linkTo('tel:1'), BOLD],
  );
  const inline = fc
    .record({ what: fc.constantFrom('text', 'liquid', 'hardBreak'), words, marks })
    .map(({ what, words: value, marks: own }): Inline => {
      if (what === 'hardBreak') return BREAK;
      const base: Inline = what === 'text' ? text(value) : liquid('{{ sender.email | default: "x" }}');
      return own === undefined ? base : { ...base, marks: own };
    });
  const paragraph = fc.array(inline, { maxLength: 4 }).map((inlines): Block => p(...inlines));
  const block: fc.Arbitrary<Block> = fc.oneof(
    paragraph,
    fc.array(paragraph, { minLength: 1, maxLength: 2 }).map((blocks): Block => ({ type: 'dates', content: blocks })),
    fc
      .array(paragraph, { minLength: 1, maxLength: 2 })
      .map((blocks): Block => ({ type: 'bulletList', content: [item(...blocks)] })),
  );

  it('is written the same after its HTML was read, and nothing of it is lost', () => {
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 4 }), (blocks) => {
        const html = writeHtml(doc(...blocks));
        const { document, lost } = readHtml(html);
        expect(lost).toEqual([]);
        expect(writeHtml(document)).toBe(html);
        expect(writeText(document)).toBe(writeText(doc(...blocks)));
      }),
      { numRuns: 200 },
    );
  });

  it('is read from a text part, which is then written the same', () => {
    const written = writeText(LETTER);
    expect(writeText(readText(written))).toBe(written);
    expect(readText('一\n\n\n\n二\r\n三').content).toEqual([p(text('一')), p(), p(), p(text('二'), BREAK, text('三'))]);
  });
});
