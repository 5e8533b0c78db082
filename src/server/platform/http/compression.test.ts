import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { call } from '#contract/call.ts';
import { EVENT_STREAM_HEADERS, EventStream } from './answers.ts';
import { httpApp } from './http-app.ts';
import { addWebFiles } from './web-files.ts';

const ROWS = Array.from({ length: 50 }, (_, id) => ({ id, company_name: `株式会社みどり${id}` }));
const JSON_TEXT = JSON.stringify(ROWS);
const SCRIPT = `/* ${'script '.repeat(500)} */`;
const PAGE = `<!doctype html><title>Kaitaku</title>${'<!-- page -->'.repeat(200)}`;

const secretCall = call({
  method: 'GET',
  path: '/token',
  summary: '',
  isSecret: true,
  response: z.object({ token: z.string() }),
});

let address: string;

beforeAll(async () => {
  const pages = await mkdtemp(join(tmpdir(), 'kaitaku-pages-'));
  await mkdir(join(pages, 'assets'));
  await writeFile(join(pages, 'index.html'), PAGE);
  await writeFile(join(pages, 'icon.svg'), '<svg/>');
  const script = join(pages, 'assets/app-1.js');
  await Promise.all([
    writeFile(script, SCRIPT),
    writeFile(`${script}.br`, brotliCompressSync(SCRIPT)),
    writeFile(`${script}.gz`, gzipSync(SCRIPT)),
  ]);
  const app = await httpApp({});
  app.get('/api/v1/rows', async () => ROWS);
  app.get('/api/v1/small', async () => ({ text: 'x'.repeat(1000) }));
  app.get('/api/v1/token', { config: { call: secretCall } }, async () => ({ token: 'x'.repeat(5000) }));
  app.get('/api/v1/events', (_request, reply) => {
    const stream = new EventStream(z.object({ text: z.string() }));
    reply.headers(EVENT_STREAM_HEADERS).send(stream);
    stream.sendEvent('run', { text: 'x'.repeat(5000) });
    stream.end();
  });
  await addWebFiles(app, {}, pages);
  address = await app.listen({ host: '127.0.0.1', port: 0 });
  return async () => {
    app.server.closeAllConnections();
    await app.close();
    await rm(pages, { recursive: true });
  };
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Returns the bytes as transferred, which fetch would decode. */
const ask = (path: string, accept?: string, more: { method?: string; range?: string } = {}) =>
  new Promise<Answer>((resolve, reject) => {
    const { method = 'GET', range } = more;
    const headers = { ...(accept !== undefined && { 'accept-encoding': accept }), ...(range && { range }) };
    get(address + path, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    }).on('error', reject);
  });

const READERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = { br: brotliDecompressSync, gzip: gunzipSync };

/** @returns the decoded text, and its encoding */
function read({ headers, bytes }: Answer) {
  const encoding = headers['content-encoding'] ?? null;
  expect(headers['content-length'] ?? String(bytes.length)).toBe(String(bytes.length));
  return { encoding, text: String(encoding === null ? bytes : READERS[encoding]?.(bytes)) };
}

const PATHS: readonly [string, string][] = [
  ['/api/v1/rows', JSON_TEXT],
  ['/assets/app-1.js', SCRIPT],
  ['/login', PAGE],
];

describe.each(PATHS)('%s', (path, text) => {
  test.each([
    ['br, gzip, deflate, zstd', 'br'],
    ['gzip, deflate, br', 'br'],
    ['GZIP', 'gzip'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip;q=0, br;q=0.001', 'br'],
    ['br;q=0, gzip;q=0', null],
    ['deflate', null],
    ['identity', null],
    ['nonsense;;,', null],
    ['', null],
    [undefined, null],
  ])('travels, asked with %j, as %j', async (accept, encoding) => {
    const answer = await ask(path, accept);
    expect(read(answer)).toStrictEqual({ encoding, text });
    expect([answer.status, answer.headers.vary]).toStrictEqual([200, 'accept-encoding']);
  });
});

test('a HEAD answers with the headers of the GET, and no body', async () => {
  for (const path of ['/login', '/assets/app-1.js']) {
    const [head, whole] = [await ask(path, 'br', { method: 'HEAD' }), await ask(path, 'br')];
    for (const name of ['content-encoding', 'content-type', 'vary', 'content-length']) {
      expect([path, name, head.headers[name]]).toStrictEqual([path, name, whole.headers[name]]);
    }
    expect([head.headers['content-encoding'], head.bytes.length]).toStrictEqual(['br', 0]);
  }
});

test('a range is one of what would travel', async () => {
  const range = 'bytes=10-19';
  const { status, headers, bytes } = await ask('/assets/app-1.js', 'br', { range });
  expect([status, headers['content-encoding']]).toStrictEqual([206, 'br']);
  expect(bytes).toStrictEqual(brotliCompressSync(SCRIPT).subarray(10, 20));
  const plain = await ask('/assets/app-1.js', undefined, { range });
  expect([plain.status, String(plain.bytes)]).toStrictEqual([206, SCRIPT.slice(10, 20)]);
  expect(plain.headers.etag).not.toBe(headers.etag);
});

test.each([
  ['an answer with a secret', '/api/v1/token'],
  ['events', '/api/v1/events'],
  ['what is small', '/api/v1/small'],
  ['a refusal', '/api/v1/nothing'],
  ['a file that was not made smaller', '/icon.svg'],
])('%s is not compressed', async (_name, path) => {
  const { headers, bytes } = await ask(path, 'br, gzip');
  expect([headers['content-encoding'], bytes.length > 0]).toStrictEqual([undefined, true]);
});

test('a file keeps its type and its time in the cache', async () => {
  for (const accept of ['br', 'gzip', 'identity']) {
    expect((await ask('/assets/app-1.js', accept)).headers).toMatchObject({
      'content-type': 'application/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
  }
});
