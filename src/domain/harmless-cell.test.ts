import { expect, test } from 'vitest';
import { harmlessCell, unmarkedCell } from './harmless-cell.ts';

test.each(['=1+1', '+81', '-5', '@x', '\t=1', '\r=1', '＝1+1', '＋81', '－5', '＠x', '=HYPERLINK("http://a.example")'])(
  'bad-inputs 239: %j is marked as text',
  (text) => {
    expect(harmlessCell(text)).toBe(`'${text}`);
    expect(unmarkedCell(`'${text}`)).toBe(text);
  },
);

test.each(['', '株式会社みどり', "'=1+1", 'a=b', '03-1234-5678', '1億'])('%j stays as it is', (text) =>
  expect(harmlessCell(text)).toBe(text),
);

test.each(["'90年代社", "O'Reilly", "'"])('%j is no marked text', (text) => expect(unmarkedCell(text)).toBe(text));
