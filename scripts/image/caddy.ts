import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { freePort } from '#test/program.ts';

const CADDYFILE = join(import.meta.dirname, '../../docs/deploy/Caddyfile');
const START_MAX_MS = 30_000;

interface Proxy {
  /** https://localhost:…, with a certificate of Caddy's own authority, which this process then trusts. */
  readonly address: string;
  stop(): Promise<void>;
}

interface CaddyConfig {
  readonly apps: { readonly http: { readonly servers: { readonly srv0: { listen: string[] } } } };
}

/** Runs Debian's Caddy with docs/deploy/Caddyfile before a server on loopback, on other ports and folders. */
export async function startCaddy(folder: string, upstream: string): Promise<Proxy> {
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, SITE: 'localhost', WEB: upstream, HOME: folder };
  const adapted = execFileSync('caddy', ['adapt', '--validate', '--config', CADDYFILE], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const config = JSON.parse(adapted) as CaddyConfig;
  const port = await freePort();
  Object.assign(config.apps.http, { https_port: port, http_port: await freePort() });
  config.apps.http.servers.srv0.listen = [`127.0.0.1:${port}`];
  Object.assign(config.apps, { pki: { certificate_authorities: { local: { install_trust: false } } } });
  Object.assign(config, { admin: { disabled: true }, storage: { module: 'file_system', root: folder } });
  const file = join(folder, 'caddy.json');
  writeFileSync(file, JSON.stringify(config));
  const child = spawn('caddy', ['run', '--config', file], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
  });
  const stop = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  };
  const address = `https://localhost:${port}`;
  await trusted(address, join(folder, 'pki/authorities/local/root.crt'), child).catch(async (error: unknown) => {
    await stop();
    throw new Error(`Caddy does not answer:\n${log}`, { cause: error });
  });
  return { address, stop };
}

/** Waits until Caddy answers by a certificate of its authority. */
async function trusted(address: string, authority: string, child: ChildProcess): Promise<void> {
  for (const end = Date.now() + START_MAX_MS; ; await sleep(100)) {
    if (existsSync(authority)) {
      setDefaultCACertificates([...getCACertificates('default'), readFileSync(authority, 'utf8')]);
      const answer = await fetch(address).catch(() => null);
      if (answer !== null) return;
    }
    assert.ok(child.exitCode === null && Date.now() < end);
  }
}

const [BODY_MAX, ADDRESS_MAX] = [4 * 1024 * 1024, 24 * 1024];
const LEAVES_WITHIN_MS = 20_000;

/** Checks what the Caddyfile promises, with a server behind it that keeps what arrives. */
export async function checkProxy(folder: string): Promise<void> {
  const seen: { readonly url: string; readonly forwarded: unknown; readonly bytes: number }[] = [];
  const left = Promise.withResolvers<void>();
  const server = createServer({ maxHeaderSize: 2 * ADDRESS_MAX }, (request, response) => {
    if (request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.write('event: run\n\n');
      response.once('close', left.resolve);
      return;
    }
    void bytesOf(request).then(
      (bytes) => {
        seen.push({ url: request.url ?? '', forwarded: request.headers['x-forwarded-for'], bytes });
        response.end();
      },
      () => {},
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await startCaddy(folder, `127.0.0.1:${(server.address() as AddressInfo).port}`);
  try {
    seen.length = 0;
    const headers = { 'x-forwarded-for': '192.0.2.66', forwarded: 'for=192.0.2.66' };
    const url = `/${'a'.repeat(ADDRESS_MAX - 1)}`;
    assert.equal((await fetch(`${proxy.address}${url}`, { headers })).status, 200);
    assert.deepEqual(seen.at(-1), { url, forwarded: '127.0.0.1', bytes: 0 });
    const post = (bytes: number) => fetch(proxy.address, { method: 'POST', body: Buffer.alloc(bytes) });
    assert.equal((await post(BODY_MAX)).status, 200);
    assert.equal(seen.at(-1)?.bytes, BODY_MAX);
    // Caddy 2.6 says 502, later ones 413.
    assert.ok([413, 502].includes((await post(2 * BODY_MAX)).status));
    const leaving = new AbortController();
    const events = await fetch(`${proxy.address}/events`, { signal: leaving.signal });
    const first = await events.body?.getReader().read();
    assert.equal(new TextDecoder().decode(first?.value as Uint8Array), 'event: run\n\n');
    leaving.abort();
    await Promise.race([
      left.promise,
      sleep(LEAVES_WITHIN_MS).then(() => assert.fail('Caddy keeps the stream of a visitor who left')),
    ]);
  } finally {
    await proxy.stop();
    server.close();
    server.closeAllConnections();
  }
}

async function bytesOf(request: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of request) bytes += (chunk as Buffer).length;
  return bytes;
}
