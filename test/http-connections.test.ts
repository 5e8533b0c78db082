import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type HttpOptions, httpApp } from '#server/platform/http/http-app.ts';
import { SERVER_TIMES } from '#server/platform/http/http-server.ts';
import { addWebFiles } from '#server/platform/http/web-files.ts';
import { exchange, requestText } from './raw-http.ts';

/** Starts a server with the pages and three test routes, for what applies to every route. */
async function start(options: HttpOptions = {}) {
  const pages = await mkdtemp(join(tmpdir(), 'kaitaku-pages-'));
  await writeFile(join(pages, 'index.html'), '<!doctype html><title>Kaitaku</title>');
  const app = await httpApp(options);
  const guard: string[] = [];
  app.route({
    method: 'GET',
    url: '/api/v1/account/:id',
    onRequest: async (request, reply) => {
      guard.push(request.url);
      return reply.code(401).send({ message: 'x', code: 'unauthorized' });
    },
    handler: async () => ({ never: 'reached' }),
  });
  app.post('/api/v1/echo', async ({ body }) => body);
  app.get('/api/v1/broken', async () => {
    throw new Error('the secret of the inside');
  });
  app.get('/api/v1/ip', async ({ clientAddress }) => ({ ip: clientAddress }));
  await addWebFiles(app, {}, pages);
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
    await rm(pages, { recursive: true });
  });
  return { app, address, guard };
}

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; " +
    "font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; " +
    "frame-ancestors 'none'; require-trusted-types-for 'script'; " +
    'trusted-types mail-preview template-html ProseMirrorClipboard',
};

/** Each kind of answer, by the part of the server that makes it. */
const ANSWERS: readonly [name: string, status: number, parts: string[]][] = [
  ['a page', 200, [requestText('GET /login')]],
  ['the headers of a page', 200, [requestText('HEAD /login')]],
  [
    'an answer of the API',
    200,
    [requestText('POST /api/v1/echo', ['Content-Type: application/json', 'Content-Length: 2'], '{}')],
  ],
  ['a refusal of the guard', 401, [requestText('GET /api/v1/account/1')]],
  ['a call that does not exist', 404, [requestText('GET /api/v1/nothing')]],
  ['a file that does not exist', 404, [requestText('GET /assets/nothing.js')]],
  ['an error of ours', 500, [requestText('GET /api/v1/broken')]],
  ['a path that cannot be decoded', 400, [requestText('GET /api/v1/account/%zz')]],
  ['a URL that is too long', 414, [requestText(`GET /${'x'.repeat(25_000)}`)]],
  ['headers that are too long', 431, [requestText('GET /', [`X: ${'x'.repeat(200_000)}`])]],
  ['what is no HTTP', 400, ['EHLO kaitaku\r\n\r\n']],
  ['another version of HTTP', 400, ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']],
  ['no host', 400, ['GET / HTTP/1.1\r\nConnection: close\r\n\r\n']],
  ['an expectation', 200, [requestText('GET /login', ['Expect: the unexpected'])]],
  ['two lengths', 400, [requestText('POST /api/v1/echo', ['Content-Length: 2', 'Content-Length: 3'], '{}')]],
  [
    'a length and chunks',
    400,
    [requestText('POST /api/v1/echo', ['Content-Length: 2', 'Transfer-Encoding: chunked'], '{}')],
  ],
];

describe.each(ANSWERS)('%s', (_name, status, parts) => {
  test('carries the security headers, is not cached, and reveals no software versions', async () => {
    const { address } = await start();
    const answer = await exchange(address, parts);
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject(HEADERS);
    // A page may be cached if each use revalidates it; other answers are not cached.
    expect(answer.headers.get('cache-control')).toBe(
      answer.headers.get('content-type')?.includes('html') ? 'no-cache' : 'no-store',
    );
    for (const name of ['server', 'x-powered-by', 'strict-transport-security', 'set-cookie']) {
      expect([name, answer.headers.get(name)]).toStrictEqual([name, null]);
    }
    if (status < 400 || answer.body === '') return;
    expect(JSON.parse(answer.body)).toStrictEqual({
      message: expect.any(String),
      code: expect.stringMatching(/^[a-z_]+$/),
    });
    expect(answer.body).not.toMatch(/secret|\.ts/);
  });

  test('declares TLS (HSTS) if users connect by it', async () => {
    const { address } = await start({ https: true });
    const { headers } = await exchange(address, parts);
    expect(headers.get('strict-transport-security')).toBe('max-age=63072000; includeSubDomains');
  });

  test('permits no other site to read it', async () => {
    const { address } = await start();
    const fromElsewhere = parts.map((part) => part.replace('\r\n', '\r\nOrigin: https://evil.example\r\n'));
    const { headers } = await exchange(address, fromElsewhere);
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toStrictEqual([]);
  });
});

describe('verbs', () => {
  test.each(['HEAD', 'OPTIONS', 'TRACE', 'DELETE', 'PATCH', 'PUT', 'POST', 'QUERY', 'PROPFIND', 'PURGE'])(
    '%s of a call that has it not is not found',
    async (verb) => {
      const { address } = await start();
      const preflight = ['Origin: https://evil.example', 'Access-Control-Request-Method: POST', 'Content-Length: 0'];
      const { status, headers, body } = await exchange(address, [requestText(`${verb} /api/v1/account/1`, preflight)]);
      expect([verb, status]).toStrictEqual([verb, 404]);
      expect(headers.get('content-type')).toContain('application/json');
      if (verb !== 'HEAD') expect(JSON.parse(body).code).toBe('not_found');
    },
  );

  test.each(['CONNECT', 'FOO', 'get'])('%s reaches nothing', async (verb) => {
    const { address } = await start();
    expect([0, 400]).toContain((await exchange(address, [requestText(`${verb} /api/v1/broken`)])).status);
  });

  test('an override header is ignored', async () => {
    const { address } = await start();
    const override = ['X-HTTP-Method-Override: GET', 'Content-Length: 0'];
    expect((await exchange(address, [requestText('POST /api/v1/broken', override)])).status).toBe(404);
  });
});

describe('paths', () => {
  // Each guard is called, or its call is not reached: nothing bypasses it.
  test.each([
    ['/api/v1/account/1', 401],
    ['/api/v1/account/1/', 401],
    ['/api/v1/account/1?x=/api/v1/echo', 401],
    ['/%61pi/v1/account/1', 401],
    ['/api/v1/account/%31', 401],
    ['/api/v1/account/1;a=b', 401],
    ['/api/v1/account/..%2f1', 401],
    ['http://localhost/api/v1/account/1', 401],
    ['HTTP://LocalHost:3000/api/v1/account/1', 401],
    ['http://localhost/api/v1/nothing', 404],
    ['http://localhost/assets/nothing.js', 404],
    ['http://localhost/login', 200],
    ['http://localhost//login', 200],
    ['http://localhost', 200],
    ['/api/v1/account/1//', 404],
    ['/api/v1//account/1', 404],
    ['/api//v1/account/1', 404],
    ['/api/v1/account', 404],
    ['/api/v1/Account/1', 404],
    ['/api/v1;a=b/account/1', 404],
    ['/api/v1/x/../account/1', 404],
    ['/api/v1/%2e%2e/v1/account/1', 404],
    ['/api/v1\\account\\1', 404],
    ['/api%2fv1%2faccount%2f1', 200],
    ['//api/v1/account/1', 404],
    ['/API/v1/account/1', 200],
    ['/./api/v1/account/1', 404],
    ['*', 200],
  ])('%s', async (path, expected) => {
    const { address, guard } = await start();
    const { status, body } = await exchange(address, [requestText(`GET ${path}`)]);
    expect([status, guard.length]).toStrictEqual([expected, expected === 401 ? 1 : 0]);
    expect(body).not.toContain('never');
    // A path without a call shows a screen of the web client.
    if (status === 200) expect(body).toContain('<title>Kaitaku</title>');
  });

  test.each([
    '/../package.json',
    '/..%2fpackage.json',
    '/%2e%2e/package.json',
    '/assets/..%2f..%2fpackage.json',
    '/%00',
  ])('no file outside of the web client: %s', async (path) => {
    const { address } = await start();
    const { status, body } = await exchange(address, [requestText(`GET ${path}`)]);
    expect([200, 400, 403, 404]).toContain(status);
    expect(body).not.toContain('dependencies');
  });
});

describe('time', () => {
  const drip = (count: number) => Array.from({ length: count }, () => 'x');
  const times = { requestMs: 400, headersMs: 400, checkMs: 50 };

  test('bad-inputs 20: a body sent byte by byte is cut', async () => {
    const { address } = await start({ times });
    const head = requestText('POST /api/v1/echo', ['Content-Type: application/json', 'Content-Length: 1000']);
    const { status, body } = await exchange(address, [head, ...drip(100)], 50);
    expect([status, JSON.parse(body).code]).toStrictEqual([408, 'request_timeout']);
  });

  test('bad-inputs 20: headers sent byte by byte are cut', async () => {
    const { address } = await start({ times: { ...times, requestMs: 60_000 } });
    const { status } = await exchange(address, ['GET / HTTP/1.1\r\nX: ', ...drip(100)], 50);
    expect(status).toBe(408);
  });

  test('bad-inputs 20: a body after a refusal is cut as well', async () => {
    const { address } = await start({ times });
    const head = requestText('GET /api/v1/account/1', ['Content-Length: 1000']).replace('Connection: close\r\n', '');
    expect((await exchange(address, [head, ...drip(100)], 50)).status).toBe(401);
  });

  test('a connection without requests is closed', async () => {
    const { address } = await start({ times: { keepAliveMs: 100 } });
    const request = requestText('GET /api/v1/ip').replace('Connection: close\r\n', '');
    expect((await exchange(address, [request])).status).toBe(200);
  });

  test('a connection without any traffic is closed', async () => {
    const { address } = await start({ times: { idleMs: 100 } });
    expect((await exchange(address, [])).status).toBe(0);
  });

  test('the default is 30 s, checked every second', async () => {
    const { app } = await start();
    const { requestTimeout, headersTimeout, keepAliveTimeout, timeout } = app.server;
    expect({ requestTimeout, headersTimeout, keepAliveTimeout, timeout }).toStrictEqual({
      requestTimeout: 30_000,
      headersTimeout: 15_000,
      keepAliveTimeout: 72_000,
      timeout: 120_000,
    });
    // Node has no getter for it. The tests above show that it applies.
    expect(SERVER_TIMES.checkMs).toBe(1000);
  });
});

describe('stopping', () => {
  test('a request that is being answered is finished, and its connection ends', async () => {
    const { app, address } = await start();
    const head = requestText('POST /api/v1/echo', ['Content-Type: application/json', 'Content-Length: 7']);
    const arrived = new Promise<void>((done) => app.server.once('request', () => done()));
    let closing: Promise<undefined> | undefined;
    const parts = function* () {
      yield head.replace('Connection: close\r\n', '');
      yield '';
      closing = app.close();
      yield '{"a":1}';
    };
    const answer = exchange(address, parts(), 100);
    await arrived;
    expect(await answer).toMatchObject({ status: 200, body: '{"a":1}' });
    await closing;
  });

  test('once the process was asked to stop, every answer closes its connection', async () => {
    let stopping = false;
    const { address } = await start({ stopping: () => stopping });
    const connectionOf = async () => (await fetch(`${address}/api/v1/ip`)).headers.get('connection');
    expect(await connectionOf()).toBe('keep-alive');
    stopping = true;
    expect(await connectionOf()).toBe('close');
  });
});

describe('the host of a request', () => {
  const ask = async (lines: readonly string[], { target = '/api/v1/ip', version = '1.1' } = {}) => {
    const { address } = await start({ allowedHosts: ['kaitaku.example.co.jp', '[2001:db8::7]', '10.1.2.3'] });
    return exchange(address, [`GET ${target} HTTP/${version}\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`]);
  };
  const host = (value: string) => [`Host: ${value}`];

  test.each([
    'localhost',
    'LocalHost:3000',
    '127.0.0.1:1',
    '[::1]:3000',
    '[0:0:0:0:0:0:0:1]',
    'kaitaku.example.co.jp',
    'KAITAKU.example.co.jp.:443',
    '[2001:DB8:0::7]:3000',
    '10.1.2.3:80',
  ])('%s is answered', async (value) => expect((await ask(host(value))).status).toBe(200));

  test.each([
    'evil.example',
    'kaitaku.example.co.jp.evil.example',
    'evil-kaitaku.example.co.jp',
    '127.0.0.1.evil.example',
    'localhost.evil.example:3000',
    'localhost..',
    '10.1.2.4',
    '[::2]',
    'xn--localhost-9w3i',
  ])('bad-inputs 209: %s is a foreign host, which a short answer says', async (value) => {
    const { status, headers, body } = await ask(host(value));
    expect([status, headers.get('content-type')]).toStrictEqual([421, 'application/json; charset=utf-8']);
    expect(JSON.parse(body)).toStrictEqual({
      message: expect.stringContaining('ALLOWED_HOSTS'),
      code: 'misdirected_request',
    });
    expect(body).not.toContain(value);
    expect(Object.fromEntries(headers)).toMatchObject(HEADERS);
  });

  test.each([
    ['two headers', ['Host: localhost', 'Host: localhost']],
    ['two headers, the second in capitals', ['Host: localhost', 'HOST: evil.example']],
    ['none', ['X: y']],
    ['nothing', ['Host:']],
    ['a user', host('evil@localhost')],
    ['a path', host('localhost/x')],
    ['two names', host('localhost, evil.example')],
    ['a space', host('localhost evil.example')],
    ['a port that is none', host('localhost:http')],
    ['an open bracket', host('[::1')],
    ['an address that is none', host('[::1::1]')],
  ])('bad-inputs 209: a Host header with %s is invalid', async (_name, lines) =>
    expect((await ask(lines)).status).toBe(400),
  );

  test.each([
    ['http://localhost:3000/api/v1/ip', 'localhost:3000', 200],
    ['HTTP://[::1]/api/v1/ip', 'localhost', 200],
    ['http://evil.example/api/v1/ip', 'localhost', 421],
    ['http://localhost/api/v1/ip', 'evil.example', 421],
    ['http://evil@localhost/api/v1/ip', 'localhost', 400],
    ['/api/v1/ip?http://evil.example/', 'localhost', 200],
  ])('bad-inputs 209: %s with the header %s answers %d', async (target, value, status) =>
    expect((await ask(host(value), { target })).status).toBe(status),
  );

  test('HTTP/1.0 may omit it, as probes do; a foreign host is refused there too', async () => {
    expect((await ask(['X: y'], { version: '1.0' })).status).toBe(200);
    expect((await ask(host('evil.example'), { version: '1.0' })).status).toBe(421);
  });

  test('pages and files are refused in the same way as calls', async () => {
    for (const target of ['/', '/login', '/index.html', '/nothing']) {
      expect([target, (await ask(host('evil.example'), { target })).status]).toStrictEqual([target, 421]);
    }
  });
});

describe('the address of a client', () => {
  const ip = async (options: HttpOptions) => {
    const { address } = await start(options);
    const { body } = await exchange(address, [requestText('GET /api/v1/ip', ['X-Forwarded-For: 203.0.113.9'])]);
    return JSON.parse(body).ip;
  };
  const proxies = { ranges: ['127.0.0.0/8'], header: 'x-forwarded-for' } as const;

  test('is that of the connection', async () => expect(await ip({})).toBe('127.0.0.1'));

  test('is the one that a trusted proxy names', async () => expect(await ip({ proxies })).toBe('203.0.113.9'));
});

describe('an overloaded process', () => {
  test('answers 503 with a Japanese message until it has recovered', async () => {
    const { address } = await start({ times: { maxDelayMs: 50, sampleMs: 50 } });
    const ask = () => exchange(address, [requestText('GET /api/v1/ip')]);
    const statuses = new Set<number>();
    let busy: Awaited<ReturnType<typeof ask>> | null = null;
    for (let turn = 0; turn < 50 && busy === null; turn += 1) {
      for (const end = Date.now() + 200; Date.now() < end; );
      const answer = await ask();
      statuses.add(answer.status);
      if (answer.status === 503) busy = answer;
    }
    expect(busy?.headers.get('retry-after')).toBe('5');
    expect(JSON.parse(busy?.body ?? '{}')).toStrictEqual({
      message: expect.stringContaining('混み合って'),
      code: 'busy',
    });
    for (let turn = 0; turn < 100 && !statuses.has(200); turn += 1) {
      await sleep(50);
      statuses.add((await ask()).status);
    }
    expect([...statuses].toSorted((a, b) => a - b)).toStrictEqual([200, 503]);
  });
});
