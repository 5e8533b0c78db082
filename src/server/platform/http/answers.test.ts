import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FileAnswer } from './answers.ts';

/** RFC 8187, 3.2.1: attr-char and escaped bytes. */
const HEADER = /^attachment; filename\*=UTF-8''((?:[\w!#$&+.^`|~-]|%[\dA-F]{2})*)$/;

function decodedName(name: string): string | undefined {
  const file = { name, mediaType: 'text/csv', bytes: null };
  const escaped = HEADER.exec(new FileAnswer(Readable.from([]), file).headers()['content-disposition'] ?? '')?.[1];
  return escaped === undefined ? undefined : decodeURIComponent(escaped);
}

test.each([
  "a'b(1)*.csv",
  '取り込めない行_名簿.csv',
  '😀𠮷.xlsx',
  'a"b\\c;d=e,%41.csv',
  'a\r\nset-cookie: b\0\x7f.csv',
  ' .csv',
  '',
])('the name %j is escaped by RFC 8187', (name) => expect(decodedName(name)).toBe(name));

test('any name is escaped, and a lone surrogate becomes a replacement character', () => {
  expect(decodedName('a\ud800.csv')).toBe('a\ufffd.csv');
  const units = fc.array(fc.oneof(fc.integer({ min: 0, max: 0xff }), fc.integer({ min: 0, max: 0xffff })));
  fc.assert(
    fc.property(units, (codes) => {
      const name = String.fromCharCode(...codes);
      expect(decodedName(name)).toBe(name.toWellFormed());
    }),
  );
});
