import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { describe, expect, test } from 'vitest';
import { selfSigned } from '#test/certificate.ts';
import { serveZone } from '#test/dns-zone.ts';
import { atFileEnd } from '#test/file-end.ts';
import { outboundWith } from './outbound.ts';
import { isPublicAddress } from './public-address.ts';

const HOST = 'idp.haru.example';
const certificate = selfSigned({ host: HOST });
const toLoopback = (address: string) => isPublicAddress(address) || address === '127.0.0.1';

async function listening(server: Server, address = '127.0.0.1', port = 0): Promise<number> {
  await new Promise<void>((done) => server.listen(port, address, done));
  server.unref();
  atFileEnd(async () => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Serves https on loopback under HOST. */
async function peer(answer: RequestListener, timeMs = 10_000) {
  const server = createHttpsServer(certificate, answer);
  const port = await listening(server);
  atFileEnd(async () => server.closeAllConnections());
  const zone = await serveZone({ [`A ${HOST}`]: ['127.0.0.1'] });
  const { server: dns } = zone;
  const outbound = outboundWith({ dnsServers: [dns], mayReach: toLoopback, ca: certificate.cert, timeMs });
  return { outbound, zone, port, url: `https://${HOST}:${port}/` };
}

const PRIVATE = [
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'this network'],
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.0.1', 'private'],
  ['100.64.0.1', 'carrier-grade NAT'],
  ['100.100.100.200', "Alibaba's metadata"],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['168.63.129.16', "Azure's host"],
  ['169.254.0.1', 'link-local'],
  ['169.254.169.254', 'metadata'],
  ['192.0.0.192', "Oracle's metadata"],
  ['192.0.2.1', 'documentation'],
  ['198.51.100.1', 'documentation'],
  ['203.0.113.1', 'documentation'],
  ['198.18.0.1', 'benchmarks'],
  ['192.88.99.1', '6to4 relay'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['::7f00:1', 'IPv4-compatible loopback'],
  ['::ffff:127.0.0.1', 'mapped loopback'],
  ['::ffff:7f00:1', 'mapped loopback in hexadecimal'],
  ['::ffff:10.0.0.1', 'mapped private'],
  ['::ffff:169.254.169.254', 'mapped metadata'],
  ['::ffff:8.8.8.8', 'mapped; no DNS answers it'],
  ['::ffff:0:127.0.0.1', 'translated'],
  ['64:ff9b::7f00:1', 'NAT64 of loopback'],
  ['64:ff9b::10.0.0.1', 'NAT64 of private'],
  ['64:ff9b::169.254.169.254', 'NAT64 of metadata'],
  ['64:ff9b:1::8.8.8.8', 'NAT64 of a network'],
  ['100::1', 'discard'],
  ['2001::1', 'Teredo'],
  ['2001:10::1', 'ORCHID'],
  ['2001:db8::1', 'documentation'],
  ['3fff::1', 'documentation'],
  ['2002:7f00:1::1', '6to4 of loopback'],
  ['2002:808:808::1', '6to4'],
  ['5f00::1', 'segment routing'],
  ['fc00::1', 'unique local'],
  ['fd00:ec2::254', "AWS's metadata"],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local with its zone'],
  ['2606:4700::1111%eth0', 'a zone'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
] as const;

/** Hosts that are an address in other clothes, or none. All of these are refused before any packet leaves. */
const DISGUISED = [
  ['2130706433', 'private_address'],
  ['0x7f000001', 'private_address'],
  ['0177.0.0.1', 'private_address'],
  ['127.1', 'private_address'],
  ['0', 'private_address'],
  ['127.0.0.1.', 'private_address'],
  ['１２７.０.０.１', 'private_address'],
  ['①②⑦.0.0.1', 'private_address'],
  ['[::1]', 'private_address'],
  ['127.0.0.256', 'invalid_host'],
  ['', 'invalid_host'],
  ['.', 'invalid_host'],
  ['a b', 'invalid_host'],
  ['user@idp.example', 'invalid_host'],
  ['idp.example:25', 'invalid_host'],
  ['idp.example/path', 'invalid_host'],
  ['idp.example\r\nQUIT', 'invalid_host'],
  ['idp.example\0.local', 'invalid_host'],
] as const;

describe('addresses', () => {
  test.each(PRIVATE)('%s is refused: %s', async (address) => {
    expect(isPublicAddress(address)).toBe(false);
    // The same for what the DNS answers.
    const type = address.includes(':') ? 'AAAA' : 'A';
    if (address.includes('%')) return;
    const { server } = await serveZone({ [`${type} ${HOST}`]: [address] });
    const outbound = outboundWith({ dnsServers: [server] });
    await expect(outbound.connect(HOST, 25)).rejects.toMatchObject({ reason: 'private_address' });
    await expect(outbound.fetch(`https://${HOST}/`)).rejects.toMatchObject({ reason: 'private_address' });
  });

  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '223.255.255.255',
    '2001:4860:4860::8888',
    '2400:cb00::1',
    '2606:4700::1111',
    '64:ff9b::8.8.8.8',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

  test.each(['', 'localhost', '127.0.0.1 ', '1.2.3', '0x7f.1', '[::1]'])('%j is no address', (text) =>
    expect(isPublicAddress(text)).toBe(false),
  );

  test.each(DISGUISED)('the host %j is refused: %s', async (host, reason) => {
    const zone = await serveZone();
    const outbound = outboundWith({ dnsServers: [zone.server] });
    await expect(outbound.connect(host, 25)).rejects.toMatchObject({ reason });
    // A URL parser has its own form of the others.
    if (reason === 'private_address')
      await expect(outbound.fetch(`https://${host}/`)).rejects.toMatchObject({ reason });
    expect(zone.asked).toStrictEqual([]);
  });
});

describe('names', () => {
  test('of several answers one private address is enough to refuse', async () => {
    const zone = await serveZone({ [`A ${HOST}`]: ['8.8.8.8', '10.0.0.1'], 'A v6.example': ['8.8.8.8'] });
    zone.records = { ...zone.records, 'AAAA v6.example': ['fd00::1'] };
    const outbound = outboundWith({ dnsServers: [zone.server] });
    await expect(outbound.connect(HOST, 25)).rejects.toMatchObject({ reason: 'private_address' });
    await expect(outbound.connect('v6.example', 25)).rejects.toMatchObject({ reason: 'private_address' });
  });

  test('the name is resolved once: a second answer that differs is never used (rebinding)', async () => {
    const { outbound, zone, port, url } = await peer((_request, response) => response.end('right'));
    const elsewhere = createServer((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\nwrong'));
    await listening(elsewhere, '127.0.0.2', port);
    // The answer changes as soon as it is read.
    const first = zone.records;
    let reads = 0;
    Object.defineProperty(zone, 'records', {
      get: () => (reads++ < 4 ? first : { [`A ${HOST}`]: ['127.0.0.2'] }),
    });
    const answer = await outbound.fetch(url);
    expect(await answer.text()).toBe('right');
    expect(zone.asked.toSorted()).toStrictEqual([`A ${HOST}`, `AAAA ${HOST}`]);
  });

  test('localhost, a name without records, and a DNS that fails or is silent', async () => {
    const zone = await serveZone({ 'A broken.example': 'SERVFAIL', 'AAAA broken.example': 'SERVFAIL' });
    zone.records = { ...zone.records, 'A silent.example': 'silence', 'AAAA silent.example': 'silence' };
    const outbound = outboundWith({ dnsServers: [zone.server], timeMs: 300 });
    await expect(outbound.connect('localhost', 25)).rejects.toThrow(/private_address|no_address/);
    await expect(outbound.connect('none.example', 25)).rejects.toMatchObject({ reason: 'no_address' });
    await expect(outbound.connect('broken.example', 25)).rejects.toMatchObject({ reason: 'no_address' });
    await expect(outbound.connect('silent.example', 25)).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('one kind of address is enough, an international name and a final dot are found', async () => {
    const { outbound, zone, port } = await peer((_request, response) => response.end());
    zone.records = { 'A xn--u8j8a1c1f.example': ['127.0.0.1'], 'AAAA xn--u8j8a1c1f.example': 'SERVFAIL' };
    const socket = await outbound.connect('はるかぜ.example.', port);
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });
});

describe('requests', () => {
  test('sends method, headers and body, and returns status, headers and body', async () => {
    const { outbound, url } = await peer((request, response) => {
      const { host = '', 'x-given': given } = request.headers;
      void request.toArray().then((chunks) => {
        response.writeHead(201, { 'x-answer': 'yes' });
        response.end(`${request.method} ${host} ${String(given)} ${chunks.join('')}`);
      });
    });
    const body = new URLSearchParams({ code: 'あ&b' });
    const answer = await outbound.fetch(url, { method: 'POST', headers: { 'x-given': '1' }, body });
    expect([answer.status, answer.headers.get('x-answer')]).toStrictEqual([201, 'yes']);
    expect(await answer.text()).toBe(`POST ${new URL(url).host} 1 code=%E3%81%82%26b`);
  });

  test.each(['http://idp.example/', 'file:///etc/passwd', 'https://user:secret@idp.example/', 'idp.example', ''])(
    'https only: %s',
    async (url) => {
      await expect(outboundWith().fetch(url)).rejects.toMatchObject({ reason: 'not_https' });
    },
  );

  test('a certificate of somebody else, and a server without TLS', async () => {
    const { zone, outbound, url } = await peer((_request, response) => response.end());
    const strict = outboundWith({ dnsServers: [zone.server], mayReach: toLoopback });
    await expect(strict.fetch(url)).rejects.toMatchObject({ reason: 'unreachable' });
    zone.records = { ...zone.records, 'A other.example': ['127.0.0.1'] };
    const other = url.replace(HOST, 'other.example');
    await expect(outbound.fetch(other)).rejects.toMatchObject({ reason: 'unreachable' });
    const plain = await listening(createHttpServer((_request, response) => response.end()));
    await expect(outbound.fetch(`https://${HOST}:${plain}/`)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  test.each([301, 302, 303, 307, 308])('a redirect (%i) is refused, even to itself', async (status) => {
    let count = 0;
    const { outbound, url } = await peer((_request, response) => {
      count += 1;
      response.writeHead(status, { location: '/' }).end();
    });
    await expect(outbound.fetch(url)).rejects.toMatchObject({ reason: 'redirect' });
    expect(count).toBe(1);
  });

  test('64 KiB are read, and no byte more: of a known and of an endless length', async () => {
    const limit = 64 * 1024;
    const { outbound, url } = await peer((request, response) => {
      if (request.url === '/endless') {
        const write = () => void (response.destroyed || setImmediate(() => response.write('x'.repeat(9000), write)));
        return write();
      }
      return void response.end('x'.repeat(Number(request.url?.slice(1))));
    });
    expect((await (await outbound.fetch(`${url}${limit}`)).text()).length).toBe(limit);
    await expect(outbound.fetch(`${url}${limit + 1}`)).rejects.toMatchObject({ reason: 'too_large' });
    await expect(outbound.fetch(`${url}${5 * 1024 * 1024}`)).rejects.toMatchObject({ reason: 'too_large' });
    await expect(outbound.fetch(`${url}endless`)).rejects.toMatchObject({ reason: 'too_large' });
  });

  test('a slow peer ends with the time, at each stage', async () => {
    const { outbound, url } = await peer((request, response) => {
      if (request.url === '/silent') return;
      // Drops a byte at a time, so that no idle time would end it.
      const timer = setInterval(() => response.write('x'), 50);
      response.once('close', () => clearInterval(timer));
    }, 400);
    await expect(outbound.fetch(`${url}silent`)).rejects.toMatchObject({ reason: 'timeout' });
    await expect(outbound.fetch(url)).rejects.toMatchObject({ reason: 'timeout' });
    const noTls = await listening(createServer(() => {}));
    await expect(outbound.fetch(`https://${HOST}:${noTls}/`)).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('an answer that breaks off is no answer', async () => {
    const { outbound, url } = await peer((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.socket?.destroy());
    });
    await expect(outbound.fetch(url)).rejects.toMatchObject({ reason: 'unreachable' });
  });
});

describe('connections', () => {
  test('connect opens a socket, and refuses a closed port', async () => {
    const server = createServer((socket) => void socket.end('220 ready'));
    const port = await listening(server);
    const { outbound } = await peer(() => {});
    const socket = await outbound.connect(HOST, port);
    const [greeting] = (await socket.toArray()) as Buffer[];
    expect(String(greeting)).toBe('220 ready');
    await new Promise((done) => server.close(done));
    await expect(outbound.connect(HOST, port)).rejects.toMatchObject({ reason: 'unreachable' });
  });
});
