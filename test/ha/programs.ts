import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { openAs } from '#test/open-as.ts';
import { type Program, runToEnd, startProgram } from '#test/program.ts';
import type { SinkProcess } from '#test/sink-process.ts';
import { openSessionOf } from '../accounts.ts';
import { kill, stop, untilStarted } from '../faults/workers.ts';
import type { Cluster } from './cluster.ts';
import type { Machine } from './site.ts';

const CONNECTIONS = 4;
const ASK_EVERY_MS = 500;
const ANSWER_MAX_MS = 30_000;

/** Two machines with a `web` and a `worker` each. */
export interface Programs {
  /** Stops all programs and restarts them with another database URL. */
  restart(databaseUrl: string): Promise<void>;
  /** Runs `kaitaku …` on each machine that has a worker. */
  kaitaku(...args: string[]): Promise<void>;
  /** Returns the programs that have ended by themselves. */
  ended(): readonly Program[];
  stop(): Promise<void>;
}

export async function startPrograms({ site, ownerUrl, web }: Cluster, sink: SinkProcess): Promise<Programs> {
  const machines = [site.machine('app1', 11), site.machine('app2', 12)];
  let running: Program[] = [];
  const settings = ({ address, root }: Machine, databaseUrl: string) => ({
    DATABASE_URL: databaseUrl,
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    DATA_DIR: join(root, 'var/lib/kaitaku'),
    HOST: address,
    PORT: String(site.ports['3000']),
    PUBLIC_URL: `https://${web.host}`,
    TRUST_PROXY: '127.0.0.1',
    WORKER_CONNECTIONS: String(CONNECTIONS),
  });
  await runToEnd(['migrate'], { DATABASE_URL: ownerUrl });
  const start = async (databaseUrl: string) => {
    const webs = machines.map((machine) => startProgram(['web'], settings(machine, databaseUrl)));
    const workers = machines.map((machine) => startProgram(['worker'], settings(machine, databaseUrl)));
    running = [...webs, ...workers];
    for (const program of webs) await program.until('web started');
    await untilStarted(...workers);
  };
  const stopAll = async () => {
    const [web1, web2, ...workers] = running;
    for (const program of [web1, web2]) program?.child.kill('SIGTERM');
    const codes = await Promise.all([web1?.ended, web2?.ended, ...workers.map(stop)]);
    if (codes.some((code) => code !== 0))
      throw new Error(`ended with ${codes.join()}:\n${running.map((one) => one.output()).join('\n')}`);
  };
  onTestFinished(async () => void (await Promise.all(running.map(kill))));
  await start(ownerUrl);
  return {
    restart: async (databaseUrl) => {
      await stopAll();
      await start(databaseUrl);
    },
    kaitaku: async (...args) => {
      for (const machine of machines) await runToEnd(args, settings(machine, ownerUrl));
    },
    ended: () => running.filter(({ child }) => child.exitCode !== null || child.signalCode !== null),
    stop: stopAll,
  };
}

/** Opens the database for the test, through HAProxy. */
export function openPools({ adminUrl, ownerUrl }: Cluster) {
  const [admin, api, login] = [openDatabase(adminUrl), openAs('api', ownerUrl), openAs('login', ownerUrl)];
  onTestFinished(async () => {
    for (const { close } of [admin, api, login]) await close();
  });
  return { db: admin.db, account: accountDbOf(api.db), login: login.db };
}

/** An answer of `web` through the proxy. */
export interface WebAnswer {
  /** 0: no answer. */
  readonly status: number;
  readonly retryAfter: string | null;
  readonly at: number;
  readonly ms: number;
}

/** Sends a member's request to `web` twice a second. @returns the answers so far, and a function that stops it */
export async function askWeb({ web }: Cluster, { login }: ReturnType<typeof openPools>, accountId: number) {
  const token = await openSessionOf(login, accountId, Date.now());
  const answers: WebAnswer[] = [];
  const askOnce = () =>
    new Promise<void>((done) => {
      const at = Date.now();
      const note = (status: number, retryAfter: string | null) => {
        answers.push({ status, retryAfter, at, ms: Date.now() - at });
        done();
      };
      request(
        {
          host: '127.0.0.1',
          port: web.port,
          path: `${API_BASE}/sender/list`,
          headers: { host: web.host, authorization: `Bearer ${token}` },
          // The server's certificate is made for the test.
          rejectUnauthorized: false,
          agent: false,
          timeout: ANSWER_MAX_MS,
        },
        (response) => {
          response
            .resume()
            .once('close', () => note(response.statusCode ?? 0, response.headers['retry-after'] ?? null));
        },
      )
        .once('timeout', () => note(0, null))
        .once('error', () => note(0, null))
        .end();
    });
  let isOver = false;
  const over = (async () => {
    for (; !isOver; await sleep(ASK_EVERY_MS)) await askOnce();
  })();
  const stopAsking = async () => {
    isOver = true;
    await over;
  };
  onTestFinished(stopAsking);
  return { answers, stop: stopAsking };
}
