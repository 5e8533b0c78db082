import { describe, expect, test } from 'vitest';
import { readDmarcPass, singleFrom } from './origin.ts';

describe('the address of a From field', () => {
  test.each([
    ['alone', 'info@a.example'],
    ['in brackets', '<info@a.example>'],
    ['behind a name', '株式会社みどり <info@a.example>'],
    ['in another case', '"Midori" <INFO@A.Example>'],
    ['behind a name with points, and between comments', 'J. Doe (sales) <(x) info@a.example > (\\) ,y@b.example)'],
    ['behind a name that is another address, or shows one', '"ceo@b.example" <info@a.example>'],
    ['behind a name with an escaped quote', '"\\"ceo@b.example\\", x" <info@a.example>'],
    ['behind an encoded name, which is not decoded', '=?utf-8?q?=3Cceo@b.example=3E=2C?= <info@a.example>'],
  ])('is read %s', (_, field) => expect(singleFrom([field])).toBe('info@a.example'));

  test('of a domain in another script is read in its ASCII form alone', () => {
    expect(singleFrom(['<info@XN--wgv71a.example>'])).toBe('info@xn--wgv71a.example');
    expect(singleFrom(['<info@日本.example>'])).toBeNull();
  });

  test.each([
    ['two fields', ['info@a.example', 'ceo@b.example']],
    ['the same field twice', ['info@a.example', 'info@a.example']],
    ['no field', []],
    ['no address', ['', '<>', 'Midori', 'Midori <>', 'info@', '@a.example']],
    ['two addresses', ['info@a.example, ceo@b.example', '<info@a.example>, <ceo@b.example>', 'x <a@a.jp> <b@b.jp>']],
    ['another address behind the brackets', ['<info@a.example> ceo@b.example', '<info@a.example ceo@b.example>']],
    ['an address before those in brackets that is no name', ['ceo@b.example, <info@a.example>']],
    ['a semicolon between', ['info@a.example; ceo@b.example']],
    ['a group', ['Team: info@a.example;', 'Team: info@a.example, ceo@b.example;', 'undisclosed:;', 'x:info@a.example']],
    ['a route', ['<@b.example:info@a.example>']],
    ['a comment within', ['info(x)@a.example', '<info@a(x).example>', '<info@(b.example)a.example>']],
    ['a quoted local part', ['"info"@a.example', '<"info@b.example"@a.example>', '"info@a.example"']],
    [
      'an open comment, quote or bracket',
      ['info@a.example (', '"info@a.example', '<info@a.example', 'info@a.example>'],
    ],
    ['two signs @', ['<info@a.example@b.example>']],
    ['a control or a look-alike', ['info@a.example\0', '<info@a.example\r>', '<info＠a.example>', '<ınfo@a.example>']],
    ['an address of an IP', ['<info@[192.0.2.1]>', '<info@192.0.2.1>']],
  ])('is not read of %s', (name, fields) => {
    const each =
      name.endsWith('field') || name.includes('twice') || name === 'two fields' ? [fields] : fields.map((one) => [one]);
    expect(each.map((one) => singleFrom(one))).toStrictEqual(each.map(() => null));
  });
});

test.each(['(', ')', '"', '\\', '"\\', '()', '""', '=', ';', 'a ', 'a=b ', '. ', '<', ',', ':', ' '])(
  'a field of nothing but %j says nothing, and one of a megabyte is not read',
  (part) => {
    for (const length of [16_000, 1_000_000]) {
      const field = part.repeat(length / part.length);
      expect([readDmarcPass(`mx.example; ${field}`), readDmarcPass(field), singleFrom([field])]).toStrictEqual([
        null,
        null,
        null,
      ]);
    }
  },
);

describe('what a server says of DMARC', () => {
  const PASSED = { server: 'mx.kaitaku.example', domain: 'a.example' };

  test.each([
    ['alone', 'mx.kaitaku.example; dmarc=pass header.from=a.example'],
    ['in another case, with a version', 'MX.Kaitaku.Example 1; DMARC/1=PASS HEADER.FROM=A.Example;'],
    [
      'as Gmail writes it',
      `mx.kaitaku.example; dkim=pass header.i=@a.example header.s=s1 header.b="a/b+c==";
 spf=pass (mx: domain of info@a.example designates 192.0.2.1 as permitted sender) smtp.mailfrom=info@a.example;
 dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=a.example`,
    ],
    [
      'as rspamd writes it',
      `mx.kaitaku.example;\tdkim=pass header.d=a.example header.s=s header.b=abc=;
\tdmarc=pass (policy=none) header.from=a.example;\tspf=pass (x) smtp.mailfrom=b+x=y@a.example`,
    ],
    [
      'with blanks and comments wherever they may be',
      `(a) "mx.kaitaku.example" (b ;c) 1 ( (d) ) ; (e) dmarc (f) / 1 =
 (g) pass (dmarc=fail) reason = "a; dmarc=fail" header (h) . (i) from = "a.example" (j)`,
    ],
  ])('is read %s', (_, field) => expect(readDmarcPass(field.replaceAll('\n', ''))).toStrictEqual(PASSED));

  test.each([
    ['no field', null],
    ['an empty one', ''],
    ['no result', 'mx.kaitaku.example'],
    ['none', 'mx.kaitaku.example; none'],
    ['no server', 'dmarc=pass header.from=a.example'],
    ['the results before the server', 'dmarc=pass header.from=a.example; mx.kaitaku.example'],
    ['two servers', 'mx.kaitaku.example other.example; dmarc=pass header.from=a.example'],
    ['a later version', 'mx.kaitaku.example 2; dmarc=pass header.from=a.example'],
    ['a later version of the method', 'mx.kaitaku.example; dmarc/2=pass header.from=a.example'],
    ['another result', 'mx.kaitaku.example; dmarc=fail header.from=a.example'],
    ['a result that begins alike', 'mx.kaitaku.example; dmarc=passed header.from=a.example'],
    ['another method that passed', 'mx.kaitaku.example; dkim=pass header.from=a.example; spf=pass'],
    ['a method that ends alike', 'mx.kaitaku.example; x-dmarc=pass header.from=a.example'],
    ['a method in two words', 'mx.kaitaku.example; d marc=pass header.from=a.example'],
    ['two results', 'mx.kaitaku.example; dmarc=pass header.from=a.example; dmarc=fail header.from=a.example'],
    [
      'two results that passed',
      'mx.kaitaku.example; dmarc=pass header.from=a.example; dmarc=pass header.from=b.example',
    ],
    ['two domains', 'mx.kaitaku.example; dmarc=pass header.from=b.example header.from=a.example'],
    ['no domain', 'mx.kaitaku.example; dmarc=pass'],
    ['an empty domain', 'mx.kaitaku.example; dmarc=pass header.from=""'],
    ['another property', 'mx.kaitaku.example; dmarc=pass smtp.mailfrom=a.example header.d=a.example'],
    ['the domain under another method', 'mx.kaitaku.example; dmarc=pass; dkim=pass header.from=a.example'],
    ['the result in a comment', 'mx.kaitaku.example; spf=pass (; dmarc=pass header.from=a.example)'],
    ['the result in a nested comment', 'mx.kaitaku.example; spf=pass ((x); dmarc=pass header.from=a.example)'],
    [
      'the result behind an escaped parenthesis',
      'mx.kaitaku.example; spf=pass (\\); dmarc=pass header.from=a.example)',
    ],
    [
      'the result in a quoted string',
      'mx.kaitaku.example; spf=pass smtp.mailfrom="x; dmarc=pass header.from=a.example"@b',
    ],
    [
      'the result behind an escaped quote',
      'mx.kaitaku.example; spf=pass smtp.helo="\\"; dmarc=pass header.from=a.example"',
    ],
    ['an encoded word, which is not decoded', 'mx.kaitaku.example; spf=pass smtp.helo==?utf-8?q?=3Bdmarc=3Dpass?='],
    ['an open comment', 'mx.kaitaku.example; dmarc=pass header.from=a.example ('],
    ['an open quote', 'mx.kaitaku.example; dmarc=pass header.from=a.example; spf=pass smtp.helo="x'],
    ['a stray parenthesis', 'mx.kaitaku.example; spf=pass x); dmarc=pass header.from=a.example'],
    ['a part that is no result', 'mx.kaitaku.example; dmarc=pass header.from=a.example; what is this'],
    ['a control', 'mx.kaitaku.example; dmarc=pass header.from=a.example\0'],
    ['more than a server writes', `mx.kaitaku.example; dmarc=pass header.from=a.example; x=${'y'.repeat(20_000)}`],
  ])('is not read of %s', (_, field) => expect(readDmarcPass(field)).toBeNull());

  test('names the server and the domain that are written, not longer text', () => {
    expect(
      readDmarcPass('mx.kaitaku.example.evil.example; dmarc=pass header.from=a.example.evil.example'),
    ).toStrictEqual({
      server: 'mx.kaitaku.example.evil.example',
      domain: 'a.example.evil.example',
    });
  });
});
