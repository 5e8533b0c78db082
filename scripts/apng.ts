import { crc32 } from 'node:zlib';

/** The first bytes of each PNG file. */
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const EACH_MS = 2500;

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** Returns the chunks of a PNG: length, type, data and checksum each. */
function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function bytesOf({ type, data }: Chunk): Buffer {
  const checked = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([numbers(data.length), checked, numbers(crc32(checked))]);
}

const numbers = (...values: readonly number[]) => {
  const data = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) data.writeUInt32BE(value, index * 4);
  return data;
};

/**
 * Returns an animated PNG of pictures, which repeats for ever. A viewer without animations shows the first.
 * Their compressed pixels are taken as they are; other chunks, such as colour profiles, are left out.
 * @param pictures PNG files of one size and without a palette, as browsers make them
 * @throws if their sizes or kinds of pixels differ
 * @see https://www.w3.org/TR/png-3/#apng-frame-based-animation
 */
export function animated(pictures: readonly Buffer[]): Buffer {
  const frames = pictures.map(chunksOf);
  const [head, ...others] = frames.map((chunks) => chunks.find(({ type }) => type === 'IHDR')?.data);
  if (head === undefined) throw new Error('no picture begins with an IHDR');
  if (others.some((other) => !other?.equals(head))) throw new Error('the pictures differ in size or kind of pixels');
  const body: Chunk[] = [];
  // fcTL and fdAT are numbered together.
  let order = 0;
  for (const [frame, chunks] of frames.entries()) {
    const control = Buffer.concat([numbers(order++), head.subarray(0, 8), numbers(0, 0), Buffer.alloc(6)]);
    control.writeUInt16BE(EACH_MS, 20);
    control.writeUInt16BE(1000, 22);
    body.push({ type: 'fcTL', data: control });
    for (const { type, data } of chunks) {
      if (type !== 'IDAT') continue;
      // The first picture is the file's own.
      body.push(frame === 0 ? { type, data } : { type: 'fdAT', data: Buffer.concat([numbers(order++), data]) });
    }
  }
  const whole = [
    { type: 'IHDR', data: head },
    { type: 'acTL', data: numbers(frames.length, 0) },
    ...body,
    { type: 'IEND', data: Buffer.alloc(0) },
  ];
  return Buffer.concat([SIGNATURE, ...whole.map(bytesOf)]);
}
