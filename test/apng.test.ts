import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { animated } from '../scripts/apng.ts';

/** Writes a chunk, by another way than the writer's. */
function chunk(type: string, data: Buffer): string {
  const checked = Buffer.concat([Buffer.from(type), data]).toString('hex');
  const word = (value: number) => value.toString(16).padStart(8, '0');
  return word(data.length) + checked + word(crc32(Buffer.from(checked, 'hex')));
}

const HEAD = (width: number, height: number) =>
  Buffer.from(`${[width, height].map((side) => side.toString(16).padStart(8, '0')).join('')}0802000000`, 'hex');

/** A picture of one colour whose pixels stand in two chunks, with a colour profile as browsers add one. */
function picture(colour: string, width = 3, height = 2): Buffer {
  const pixels = deflateSync(Buffer.from(`00${colour.repeat(width)}`.repeat(height), 'hex'));
  const chunks = [
    chunk('IHDR', HEAD(width, height)),
    chunk('sRGB', Buffer.from([0])),
    chunk('IDAT', pixels.subarray(0, 5)),
    chunk('IDAT', pixels.subarray(5)),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.from(`89504e470d0a1a0a${chunks.join('')}`, 'hex');
}

/** Reads a file's chunks. @throws if a checksum is wrong */
function read(file: Buffer): { type: string; data: Buffer }[] {
  expect(file.toString('hex', 0, 8)).toBe('89504e470d0a1a0a');
  const chunks = [];
  for (let at = 8; at < file.length; ) {
    const end = at + 8 + file.readUInt32BE(at);
    expect(file.readUInt32BE(end)).toBe(crc32(file.subarray(at + 4, end)));
    chunks.push({ type: file.toString('latin1', at + 4, at + 8), data: file.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

const [RED, BLUE, GREEN] = ['ff0000', '0000ff', '00ff00'] as const;

test('an animated PNG is the first picture, and all of them in turn with numbered frames', () => {
  const chunks = read(animated([RED, BLUE, GREEN].map((colour) => picture(colour))));
  expect(chunks.map(({ type }) => type).join(' ')).toBe('IHDR acTL fcTL IDAT IDAT fcTL fdAT fdAT fcTL fdAT fdAT IEND');
  const of = (type: string) => chunks.filter((found) => found.type === type).map(({ data }) => data);
  expect(of('IHDR')).toStrictEqual([HEAD(3, 2)]);
  // Three frames, without an end.
  expect(of('acTL').map((data) => data.toString('hex'))).toStrictEqual(['0000000300000000']);
  const numbered = chunks.filter(({ type }) => type === 'fcTL' || type === 'fdAT');
  expect(numbered.map(({ data }) => data.readUInt32BE(0))).toStrictEqual([0, 1, 2, 3, 4, 5, 6]);
  // 3 × 2 pixels at 0, 0 for 2,500 / 1,000 s, instead of what was there.
  const frame = '0000000300000002000000000000000009c403e80000';
  expect(of('fcTL').map((data) => data.toString('hex', 4))).toStrictEqual([frame, frame, frame]);
  const rows = (colour: string) => `00${colour.repeat(3)}`.repeat(2);
  const shown = (parts: readonly Buffer[]) => inflateSync(Buffer.concat(parts)).toString('hex');
  const later = of('fdAT').map((data) => data.subarray(4));
  expect([shown(of('IDAT')), shown(later.slice(0, 2)), shown(later.slice(2))]).toStrictEqual(
    [RED, BLUE, GREEN].map(rows),
  );
});

test('pictures of different sizes make no animated PNG', () => {
  expect(() => animated([picture(RED), picture(BLUE, 2, 3)])).toThrow('the pictures differ in size');
  expect(() => animated([])).toThrow('IHDR');
});
