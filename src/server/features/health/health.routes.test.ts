import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#server/platform/database/db.ts';
import { httpApp } from '#server/platform/http/http-app.ts';
import { createLog } from '#server/platform/log.ts';
import { emptyDatabase } from '#test/db.ts';
import { exchange } from '#test/raw-http.ts';
import { addHealthRoutes, type HealthParts } from './health.routes.ts';

const noHosts = { livesAt: () => null };

async function start({
  accountHosts = noHosts,
  guessRate = () => null,
  ...parts
}: Partial<HealthParts> & Pick<HealthParts, 'db' | 'stopping'>) {
  const lines: string[] = [];
  const app = await httpApp({ logger: createLog('info', { write: (line) => void lines.push(line) }) });
  addHealthRoutes(app, { ...parts, accountHosts, guessRate });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const ask = async (path: string) => {
    const response = await fetch(address + path);
    return { status: response.status, body: await response.json(), kept: response.headers.get('cache-control') };
  };
  return { ask, lines, address };
}

const OK = { status: 200, body: { status: 'ok' }, kept: 'no-store' };
const UNAVAILABLE = { status: 503, body: { status: 'unavailable' }, kept: 'no-store' };

/** Opens a pool on a local port. */
function poolOn(port: number) {
  const { db, close } = openDatabase(`postgres://nobody@127.0.0.1:${port}/none`);
  onTestFinished(close);
  return db;
}

describe('health', () => {
  test('is ok while the database answers, and returns nothing else', async () => {
    const { api: db } = await emptyDatabase();
    const { ask, lines } = await start({ db, stopping: () => false });
    expect(await ask('/health/live')).toStrictEqual(OK);
    expect(await ask('/health/ready')).toStrictEqual(OK);
    expect(lines.filter((line) => line.includes('health'))).toStrictEqual([]);
  });

  test('answers a probe with any Host header', async () => {
    const { api: db } = await emptyDatabase();
    const { address } = await start({ db, stopping: () => false });
    for (const path of ['live', 'ready']) {
      const probe = `GET /health/${path} HTTP/1.1\r\nHost: 10.8.0.3:3000\r\nConnection: close\r\n\r\n`;
      expect(await exchange(address, [probe])).toMatchObject({ status: 200, body: '{"status":"ok"}' });
      expect(await exchange(address, [probe.replace('Host', 'Host: a\r\nHost')])).toMatchObject({ status: 400 });
    }
  });

  test('tells of an account whether it lives at the host of the request, and of no other', async () => {
    const { api: db } = await emptyDatabase();
    const accountHosts = { livesAt: (host: string) => (host === 'localhost' ? 3 : null) };
    let wait: number | null = null;
    const { address } = await start({ db, stopping: () => false, accountHosts, guessRate: () => wait });
    const ask = async (host: string, id: number | string) => {
      const probe = `GET /health/account/${id} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      const { status, body } = await exchange(address, [probe]);
      return [status, body];
    };
    expect(await ask('LOCALHOST:3000', 3)).toStrictEqual([200, '{"status":"ok","account":3}']);
    for (const id of [4, '', 'x', '3.5', '3.0', '0x3', '03', '%203']) expect((await ask('localhost', id))[0]).toBe(404);
    expect(await ask('127.0.0.1', 3)).toStrictEqual([404, '{"status":"unknown"}']);
    expect((await ask('acme.example.jp', 3))[0]).toBe(421);
    // Guesses are counted, and what is right is not.
    wait = 7;
    expect([(await ask('localhost', 4))[0], (await ask('localhost', 3))[0]]).toStrictEqual([429, 200]);
  });

  test('is alive but not ready while the process shuts down', async () => {
    const { api: db } = await emptyDatabase();
    let stopping = false;
    const { ask } = await start({ db, stopping: () => stopping });
    expect(await ask('/health/ready')).toStrictEqual(OK);
    stopping = true;
    expect(await ask('/health/live')).toStrictEqual(OK);
    expect(await ask('/health/ready')).toStrictEqual(UNAVAILABLE);
  });

  test('is not ready without a database', async () => {
    const { ask } = await start({ db: poolOn(1), stopping: () => false });
    expect(await ask('/health/live')).toStrictEqual(OK);
    expect(await ask('/health/ready')).toStrictEqual(UNAVAILABLE);
  });

  test('is not ready while the database hangs, and sends it one query for all probes', async () => {
    let connections = 0;
    const silent = createServer((socket) => {
      connections += 1;
      onTestFinished(() => void socket.destroy());
    });
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    onTestFinished(() => void silent.close());
    const { ask } = await start({ db: poolOn((silent.address() as AddressInfo).port), stopping: () => false });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/health/ready')));
    expect(answers).toStrictEqual(Array.from({ length: 20 }, () => UNAVAILABLE));
    expect(connections).toBe(1);
  });
});
