// npm run check:cells: tests two cells behind Debian's HAProxy, which routes by host from its map file. Two accounts
// with their own hosts work; one is moved to the other cell meanwhile, and continues with its session. HAPROXY names
// another binary.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { API_BASE } from '#contract/call.ts';
import { startEmbeddedPostgres } from '#server/platform/embedded-postgres/embedded-postgres.ts';
import { freePort, type Program, runToEnd, startProgram } from '#test/program.ts';

const HAPROXY = process.env.HAPROXY ?? '/usr/sbin/haproxy';
const DOMAIN = 'cells.example.jp';
const [ACME, PLAIN] = [`acme.${DOMAIN}`, `plain.${DOMAIN}`];
const PASSWORD = '正しい馬 電池 ホチキス';

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Sends a request through the proxy, as a browser at the host does. */
const askAt =
  (port: number) =>
  (host: string, path: string, { token = '', body = '' } = {}): Promise<Answer> =>
    new Promise((done, fail) => {
      const headers = {
        host,
        connection: 'close',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      };
      const asked = request(
        { host: '127.0.0.1', port, path: API_BASE + path, method: body ? 'POST' : 'GET', headers },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('end', () => done({ status: response.statusCode ?? 0, body: text }));
        },
      );
      asked.on('error', fail).end(body);
    });

function proxyConfig(folder: string, port: number, webPorts: readonly number[]): string {
  return `
global
  stats socket ${join(folder, 'haproxy.sock')} level admin
defaults
  mode http
  timeout connect 5s
  timeout client 1h
  timeout server 1h
frontend hosts
  bind 127.0.0.1:${port}
  use_backend %[req.hdr(host),field(1,:),lower,map_str(${join(folder, 'hosts.map')},cell1)]
${webPorts.map((web, n) => `backend cell${n + 1}\n  server web 127.0.0.1:${web}\n`).join('')}`;
}

/** Changes a line of the map in the running proxy, as a reload of the changed file does. */
const setMap = (folder: string, host: string, cell: string): Promise<void> =>
  new Promise((done, fail) => {
    const socket = connect(join(folder, 'haproxy.sock'));
    socket.on('error', fail).on('close', () => done());
    socket.resume().end(`set map ${join(folder, 'hosts.map')} ${host} ${cell}\n`);
  });

async function check(folder: string, server: URL): Promise<void> {
  const [proxyPort, ...webPorts] = [await freePort(), await freePort(), await freePort()];
  const urlOf = (n: number) => Object.assign(new URL(server), { pathname: `/cell${n}` }).href;
  const admin = new pg.Client({ connectionString: server.href });
  await admin.connect();
  for (const n of [1, 2]) await admin.query(`CREATE DATABASE cell${n}`);
  await admin.end();
  const envOf = (n: number) => ({
    CELL: String(n),
    DATABASE_URL: urlOf(n),
    DATA_DIR: join(folder, `data${n}`),
    PORT: String(webPorts[n - 1]),
    PUBLIC_URL: `http://${DOMAIN}:${proxyPort}`,
    ACCOUNT_HOSTS: `*.${DOMAIN}`,
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'no-reply@example.jp',
  });
  const running: Program[] = [];
  try {
    for (const n of [1, 2]) {
      await runToEnd(['migrate'], envOf(n));
      for (const half of ['web', 'worker']) {
        const program = startProgram([half], envOf(n));
        running.push(program);
        await program.until(`${half} started`);
      }
    }
    for (const host of [ACME, PLAIN]) {
      const email = ['--email', `admin@${host}`];
      const names = ['--name', '管理者', '--company', host];
      await runToEnd(['account', 'create', ...email, ...names], envOf(1), `${PASSWORD}\n`);
      await runToEnd(['account', 'set-host', ...email, '--host', host], envOf(1));
    }
    writeFileSync(join(folder, 'hosts.map'), await runToEnd(['account', 'list', '--map'], envOf(1)));
    writeFileSync(join(folder, 'haproxy.cfg'), proxyConfig(folder, proxyPort, webPorts));
    const proxy = spawn(HAPROXY, ['-q', '-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'inherit' });
    try {
      await checkMove(folder, askAt(proxyPort), envOf(1), urlOf(2));
    } finally {
      proxy.kill('SIGKILL');
    }
  } finally {
    for (const { child } of running) child.kill('SIGKILL');
    for (const { ended } of running) await ended;
  }
}

async function checkMove(
  folder: string,
  ask: ReturnType<typeof askAt>,
  env: Record<string, string>,
  target: string,
): Promise<void> {
  const logIn = async (host: string) => {
    const body = JSON.stringify({ email: `admin@${host}`, password: PASSWORD });
    const { status, body: answer } = await ask(host, '/auth/login', { body });
    assert.equal(status, 200, answer);
    return (JSON.parse(answer) as { token: string }).token;
  };
  // The processes read the hosts each second, and the proxy needs time to start.
  await sleep(3000);
  const [acme, plain] = [await logIn(ACME), await logIn(PLAIN)];
  const look = async (host: string, token: string) => (await ask(host, '/sender/list', { token })).status;
  assert.deepEqual([await look(ACME, acme), await look(PLAIN, plain)], [200, 200]);
  const seen: number[] = [];
  const away: number[] = [];
  let isOver = false;
  const working = (async () => {
    while (!isOver) {
      const status = await look(ACME, acme);
      if (seen.at(-1) !== status) seen.push(status);
      if (status !== 200) away.push(Date.now());
      assert.equal(await look(PLAIN, plain), 200);
      await sleep(20);
    }
  })();
  const moved = ['account', 'move', '--email', `admin@${ACME}`, '--to', target, '--without-late-mail'];
  const printed = await runToEnd(moved, env);
  const [, cell = ''] = /^acme\S+ (cell\d+)$/m.exec(printed) ?? [];
  assert.equal(cell, 'cell2', printed);
  await setMap(folder, ACME, cell);
  // The new cell reads the hosts each second.
  await sleep(2000);
  isOver = true;
  await working;
  assert.equal(seen.at(0), 200);
  assert.equal(seen.at(-1), 200, `what its user saw: ${seen.join(', ')}`);
  const seconds = ((away.at(-1) ?? 0) - (away.at(0) ?? 0)) / 1000;
  process.stdout.write(
    `${ACME} moved from cell1 to cell2: its user saw ${seen.join(', ')}, was away for ${seconds.toFixed(1)} s ` +
      `and goes on with the same session; ${PLAIN} noticed nothing.\n`,
  );
}

if (!existsSync(HAPROXY)) {
  process.stdout.write(`There is no ${HAPROXY}: install Debian's haproxy, or name another binary in HAPROXY.\n`);
} else {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-cells-'));
  // PostgreSQL does not run as root, and must reach its files in this folder.
  chmodSync(folder, 0o755);
  try {
    const postgres = await startEmbeddedPostgres(join(folder, 'server'), ['fsync=off']);
    try {
      await check(folder, new URL(postgres.url));
    } finally {
      await postgres.stop();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
