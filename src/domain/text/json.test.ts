import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_JSON_DEPTH, MAX_JSON_NAMES } from '../limits.ts';
import { parseJson } from './json.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('parseJson', () => {
  test('reads whatever JSON.stringify writes', () => {
    const plain = fc
      .json({ maxDepth: 5, stringUnit: 'binary' })
      .filter((text) => !/proto|constructor|\\u0000/.test(text));
    fc.assert(
      fc.property(plain, (text) => {
        expect(parseJson(text)).toStrictEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    ['{"a":{"b":"\\"{[:"},"b":[{"a":1},{"a":2}]}', { a: { b: '"{[:' }, b: [{ a: 1 }, { a: 2 }] }],
    ['{"a":"b","c":"b","b":"a:"}', { a: 'b', c: 'b', b: 'a:' }],
    ['"constructor"', 'constructor'],
    ['["__proto__"]', ['__proto__']],
    ['{"a":"\\ud83d\\ude00𠮷"}', { a: '😀𠮷' }],
    [' \n{ } ', {}],
  ])('reads %s', (text, value) => expect(parseJson(text)).toStrictEqual(value));

  test.each(['', '{', '{"a":', '"a', '"a\\', '{"a":1}}', "{'a':1}", '[1,]', 'NaN', '\ufeff', '"\n"', '"\\x41"'])(
    'refuses %j, which is no JSON',
    (text) => expect(() => parseJson(text)).toThrow('JSONとして読み取れません'),
  );

  test('reads 32 levels and not one more, also where nothing closes them', () => {
    expect(parseJson(nested(MAX_JSON_DEPTH))).toBeInstanceOf(Array);
    for (const text of [nested(MAX_JSON_DEPTH + 1), nested(10_000), '{"a":'.repeat(200_000)]) {
      expect(() => parseJson(text)).toThrow(`${MAX_JSON_DEPTH}段まで`);
    }
  });

  test.each(['{"a":1,"a":1}', '{"a":1,"\\u0061" :2}', '[{"x":{"a":1,"b":2,"a":3}}]'])(
    'refuses a name twice: %s',
    (text) => expect(() => parseJson(text)).toThrow('同じ名前'),
  );

  test('reads 100 names in an object, and stops at the next one, whatever follows', () => {
    const names = (count: number) => Array.from({ length: count }, (_, n) => `"a${n}":{"b":1}`).join();
    expect(parseJson(`[{${names(MAX_JSON_NAMES)}},{${names(MAX_JSON_NAMES)}}]`)).toHaveLength(2);
    // A parser that read on would report the missing bracket instead.
    for (const text of [`{${names(MAX_JSON_NAMES + 1)}`, `[{"x":{${names(90_000)}`]) {
      expect(() => parseJson(text)).toThrow(`${MAX_JSON_NAMES}個まで`);
    }
  });

  test.each(['{"__proto__":{}}', '{"\\u005f_proto__":1}', '{"a":[{"constructor":{"prototype":{"x":1}}}]}'])(
    'refuses a name that touches prototypes: %s',
    (text) => expect(() => parseJson(text)).toThrow('使えません'),
  );

  test.each(['"\\u0000"', '{"a\\u0000":1}', '"\\ud800"', '{"a":"\\udc00x"}'])(
    'refuses what no text holds: %s',
    (text) => expect(() => parseJson(text)).toThrow('使えない文字'),
  );
});
