import { describe, expect, test } from 'vitest';
import { footerPlace, visibleOfHtml } from './visible-text.ts';

const seen = (html: string) => visibleOfHtml(html).text.replace(/\s+/g, ' ').trim();

test('text, entities and links are seen as a reader sees them', () => {
  const html =
    '<title>題</title><p>A&amp;B<br>C &lt;</p><p><a href="https://a.example/?x=1&amp;y=2">こ<b>ちら</b></a>。</p>';
  const { text, links } = visibleOfHtml(html);
  expect(text.replace(/\n+/g, '\n').trim()).toBe('A&B\nC <\nこちら。');
  expect(links.map(({ href, start, end }) => [href, text.slice(start, end)])).toStrictEqual([
    ['https://a.example/?x=1&y=2', 'こちら'],
  ]);
});

test.each([
  '<!-- X -->',
  '<div hidden>X</div>',
  '<div style="display:none">X</div>',
  '<div style="DISPLAY : None ! important; display:block">X</div>',
  '<div style="display:/* a */none">X</div>',
  '<p style="display:none"><b>X</b></p>',
  '<div style="display:none"><p></div><span></span><!-- --></p><i style="visibility:hidden">X</i>',
  '<p style="visibility:hidden">X</p>',
  '<p style="opacity:0">X</p>',
  '<p style="opacity:.05">X</p>',
  '<p style="font-size:1px">X</p>',
  '<p style="font-size:0">X</p>',
  '<p style="font-size:7pt">X</p>',
  '<p style="font-size:9.9px">X</p>',
  '<p style="font-size:50%">X</p>',
  '<div style="font-size:.7em"><p style="font-size:0.8em">X</p></div>',
  '<p style="font:1px Arial">X</p>',
  '<p style="font-size:xx-small">X</p>',
  '<small><small><small>X</small></small></small>',
  '<p style="max-height:0;overflow:hidden">X</p>',
  '<p style="position:absolute;left:-9999px">X</p>',
  '<p style="text-indent:-9999px">X</p>',
  '<p style="mso-hide:all">X</p>',
  '<p style="transform:scale(0)">X</p>',
  '<style>X</style>',
  '<script>X</script>',
  '<template>X</template>',
  '<noscript>X</noscript>',
  '<textarea>X</textarea>',
  '<input value="X">',
  '<img alt="X">',
  '<details>X</details>',
  '<span hidden><div></span>X</div>',
  '<div hidden><table><tr><td></div>X</td></tr></table>',
])('%s shows nothing', (html) => expect(seen(html)).toBe(''));

test.each([
  '<div hidden>Y</div>',
  '<div style="display:none"><b>Y</div>',
  '<p style="display:none">Y<p>',
  '<p style="font-size:1px">Y</p>',
])('what follows %s is seen', (html) => expect(seen(`${html}X`)).toBe('X'));

test.each([
  '<p style="font-size:10px">X</p>',
  '<div style="font-size:1px"><p style="font-size:13px">X</p></div>',
  '<p style="display:none;display:block">X</p>',
  '<p style="max-height:0">X</p>',
  '<font size="1">X</font>',
  '<body hidden-x="1">X</body>',
])('%s is seen', (html) => expect(seen(html)).toBe('X'));

test.each([
  ['<p style="color:#fff">X</p>', 1],
  ['<p style="color:rgb(255, 255, 255)">X</p>', 1],
  ['<body bgcolor="#000"><font color="BLACK">X</font></body>', 1],
  ['<div style="background:#ABC"><span style="color:#aabbcc">X</span></div>', 1],
  ['<p style="color:#fff;background:#333">X</p>', 0],
  ['<p>X</p>', 0],
])('%s has %i parts in the colour of their background', (html, parts) =>
  expect(visibleOfHtml(html).unreadable).toHaveLength(parts),
);

describe('a body that would keep the parser busy shows nothing', () => {
  test.each([
    ['nested elements', '<div>'.repeat(20_000)],
    ['many elements', '<br>'.repeat(24_999)],
    ['elements moved out of a table', `<table>${'<br>'.repeat(24_000)}`],
    ['formatting that is opened again', `${'<b id=1>'.repeat(6000)}${'<p>'.repeat(16_000)}`],
    [
      'different formatting',
      `${Array.from({ length: 4000 }, (_, n) => `<b id=${n}>`).join('')}${'<p>'.repeat(16_000)}`,
    ],
  ])('%s', (_name, html) => expect(seen(`${html}X`)).toBe(''));
});

test.each([
  ['<html><body><p>A</p>', '</body></html>'],
  ['<html><body><p>A</p>', '</BODY >\n</html>'],
  ['<p>A</p>', ''],
  ['<body><!-- </body> --><p>A</p>', '</body>'],
  ['{% if company_name == "<body></body>" %}A{% endif %}<p>', '</body>'],
  ['<html><p>A', '</body></html>'],
  ['<html><p>A</html>', ''],
])('the footer goes to the end of the body (%#)', (before, after) =>
  expect(footerPlace(before + after)).toBe(before.length),
);
