import { describe, expect, it, test } from 'vitest';
import { readHtml } from './read-html.ts';
import { writeText } from './write-text.ts';

const textOf = (html: string, plain?: string) => writeText(readHtml(html, plain).document).trimEnd();

describe('lines of preformatted text', () => {
  const MAIL = 'お世話に\nなります。\n\n・一\n・二';
  it.each([
    [`<pre class="moz-quote-pre" wrap="">${MAIL}\n</pre>`, MAIL],
    [`<div style="white-space: pre-wrap; color: red">${MAIL}</div>`, MAIL],
    [`<span style="color:red;white-space:pre-line">${MAIL}</span>`, MAIL],
    [`<div style="white-space-collapse: preserve">${MAIL}</div>`, MAIL],
    ['<pre>一\r\n<b>二\n三</b>四</pre>', '一\n二\n三四'],
    ['<pre>{% if a\n %}\n一{% endif %}</pre>', '{% if a\n %}\n一{% endif %}'],
    ['<pre><code>一\n二</code></pre><p>三\n四</p>', '一\n二\n\n三四'],
    ['<pre>一\n<span style="white-space: normal">二\n三</span></pre>', '一\n二三'],
    ['<div style="white-space:pre-wrap">\n<p>一</p>\n<p>二</p>\n</div>', '一\n\n二'],
    ['<pre>一\t二</pre>', '一　二'],
  ])('%j is read as %j', (html, text) => {
    expect(textOf(html)).toBe(text);
  });

  test('that only a class preserves are known by the pasted text, because Firefox leaves the styles out', () => {
    const html = '<div class="pre">一\n二<br>三\n四</div><p>五\n六</p>';
    expect(textOf(html, '一\r\n二\r\n三\r\n四\r\n\r\n五 六')).toBe('一\n二\n三\n四\n\n五六');
    expect(textOf(html, '一 二\n三 四\n\n五 六')).toBe('一二\n三四\n\n五六');
  });
});

describe('rows of a table', () => {
  const EXCEL = `<table><col width=72><tr><td class=xl65>日時</td><td>12月10日（木）<br>14時</td></tr>
    <tr><td></td><td></td></tr><tr><td><p>会場</p></td><td></td><td><a href="https://a.jp/">東京</a></td></tr></table>`;

  it.each([
    [EXCEL, '日時　12月10日（木） 14時\n会場　東京（https://a.jp/）'],
    ['前<table><caption>題</caption><tr><th>一</th></tr><tr><td>二</td></tr></table>後', '前\n\n題\n\n一\n二\n\n後'],
    [`<table><tr><td>左</td><td>${'長'.repeat(201)}</td></tr></table>`, `左\n\n${'長'.repeat(201)}`],
    ['<table><tr><td><table><tr><td>左</td><td>右</td></tr></table></td><td>外</td></tr></table>', '左　右\n\n外'],
    ['<table><tr><td>{% if a %}</td><td>一{% endif %}</td></tr></table>', '{% if a %}\n一{% endif %}'],
  ])('%j is read as %j', (html, text) => {
    expect(textOf(html)).toBe(text);
  });

  it('are counted by table, and say that a table was lost', () => {
    expect(readHtml(EXCEL)).toMatchObject({ tables: 1, lost: ['table', 'look'] });
    expect(readHtml('<p>一</p>').tables).toBe(0);
  });
});

describe('HTML from other programs', () => {
  it.each([
    ['<div>一</div>\n<div>二</div>', '一\n\n二'],
    ['<p>一<br>\n  二</p>', '一\n二'],
    ['<p>日本\n  語 と\n English\n text</p>', '日本語 と English text'],
    ['一<b>二</b><div><a href="https://a.jp"><div>三</div></a></div>', '一二\n\n三（https://a.jp）'],
    ['<h1>題</h1>本文', '題\n\n本文'],
    ['<table><tr><td>左</td><td>右</td></tr></table>', '左　右'],
    ['<table><tr><td>左</td><td>右<ul><li>一</li></ul></td></tr></table>', '左\n\n右\n\n・一'],
    ['<p>一</p><p></p><p>&nbsp;</p><p>二</p>', '一\n\n\n二'],
    ['<ul>{% if x %}<li>一</li>{% endif %}</ul>', '{% if x %}\n一\n{% endif %}'],
    [
      '<p>{% if candidate_dates != "" %}あり{% else %}なし{% endif %}</p>',
      '{% if candidate_dates != "" %}あり{% else %}なし{% endif %}',
    ],
    [
      '{% if candidate_dates != "" %}<p>あり</p>{% else %}<p>なし</p>{% endif %}',
      '{% if candidate_dates != "" %}\nあり\n{% else %}\nなし\n{% endif %}',
    ],
    ['', ''],
  ])('%j is read as %j', (html, text) => {
    expect(textOf(html)).toBe(text);
  });

  it.each([
    ['<p style="color:red">赤</p>', ['look']],
    ['<p class="lead">字</p>', ['look']],
    ['<p><img src="https://a.jp/x.png">字</p>', ['image']],
    ['<table><tbody><tr><td>字</td></tr></tbody></table>', ['table']],
    ['<h2>題</h2><hr><p><i>字</i></p><!-- x -->', ['heading', 'rule', 'look', 'comment']],
    ['<p><a href="javascript:alert(1)">字</a><a href="/x">字</a></p>', ['link']],
    ['<button>字</button>', ['other']],
    ['<ol start="3"><li>字</li></ol><ol><li>字</li></ol>', ['numbers']],
    ['<html><head><title>題</title></head><body bgcolor="#000"><p>字</p></body></html>', ['look']],
    ['<html><head><style>p { color: red }</style></head><body><p>字</p></body></html>', ['look']],
    ['<p><b>字</b><span>字</span><br><a href="tel:1">字</a></p><ul><li>字</li></ul>', []],
  ])('%j loses %j', (html, lost) => {
    expect(readHtml(html).lost).toEqual(lost);
  });
});

/** Written like the letter of bench/letter.ts. */
const LETTER = `<!doctype html>
<html lang="ja">
<body style="margin:0;padding:24px;font-family:sans-serif;font-size:15px;line-height:1.8;color:#222">
<p>{{ company_name }}<br>{{ person_in_charge }}</p>
{% if candidate_dates != "" %}
<p>下記の日程で。</p>
<p>{% for line in candidate_date_lines %}{{ line }}<br>{% endfor %}</p>
{% endif %}
<p>何卒。</p>
<hr style="border:0;border-top:1px solid #ccc">
<p style="font-size:13px;color:#444">{{ account.company }}</p>
</body>
</html>
`;

test('a letter written by hand loses only its small print and its rule', () => {
  const { document, lost } = readHtml(LETTER);
  expect(lost).toEqual(['rule', 'look']);
  expect(document.content.map(({ type }) => type)).toEqual([
    'paragraph',
    'dates',
    'paragraph',
    'paragraph',
    'paragraph',
  ]);
  expect(writeText(document)).toBe(`{{ company_name }}
{{ person_in_charge }}
{% if candidate_dates != "" %}
下記の日程で。

{{ candidate_dates }}
{% endif %}
何卒。

${'─'.repeat(20)}

{{ account.company }}
`);
});

const PICTURE = `data:image/png;base64,${'A'.repeat(5_000_000)}`;
const WORD = `<html xmlns:o="urn:schemas-microsoft-com:office:office">
<head><style>p.MsoNormal { mso-style-parent:""; color:red }</style>
<script>alert(1)</script></head><body lang=JA style='tab-interval:42.0pt'><!--StartFragment-->
<p class=MsoNormal style='margin-left:21.0pt'><b><span lang=EN-US
style='font-family:"Arial";mso-bidi-font-weight:normal'>Price<o:p></o:p></span></b>の件</p>
<p class=MsoListParagraph style='mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='mso-list:Ignore'>・<span style='font:7.0pt "Times"'>&nbsp;&nbsp; </span></span><![endif]>一</p>
<p class=MsoListParagraph style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>・</span>二</p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><span style='mso-list:Ignore'>1.</span>甲</p>
<p><img src="${PICTURE}" onerror="alert(2)"><a href="javascript:alert(3)"
onclick="alert(4)">押す</a></p><!--EndFragment--></body></html>`;

test('bad-inputs 245: what Word copies becomes text, bold and lists, without pictures, styles and scripts', () => {
  const { document, images } = readHtml(WORD);
  expect(images).toBe(1);
  expect(writeText(document)).toBe('Priceの件\n\n・一\n・二\n\n1. 甲\n\n押す\n');
  expect(JSON.stringify(document)).not.toMatch(/alert|Mso|base64|style/);
  expect(document.content[0]).toMatchObject({
    content: [{ text: 'Price', marks: [{ type: 'bold' }] }, { text: 'の件' }],
  });
});
