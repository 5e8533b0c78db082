import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { countCells } from './count-cells.ts';

const count = (pieces: readonly string[], max = 100) =>
  countCells(Readable.from(pieces.map((piece) => Buffer.from(piece))), max);

it.each([
  ['blank cells', '<row><c/><c /><c r="A1" s="1"/></row>', 3],
  ['cells with a value', '<row><c r="XFD1048576"><v>1</v></c><c t="inlineStr"><is><t>c</t></is></c></row>', 2],
  ['cells with a prefix, or over several lines', '<x:row><x:c/><x:c\n/><c\tr="A1"></c></x:row>', 3],
  ['no other tags', '<cols><col/></cols><row></row><cfRule/><x:cc/><c:x/><C/><ac/> a <!--c--><?c?>', 0],
])('counts %s', async (_, xml, cells) => {
  expect(await count([xml])).toBe(cells);
  expect(await count([...xml])).toBe(cells);
});

it('ends where there are too many', async () => {
  function* endless() {
    for (;;) yield Buffer.from('<c/>');
  }
  expect(await countCells(Readable.from(endless()), 10)).toBe(11);
});
