// `docker compose up` without Docker: the services of compose.yaml in its order, as processes of what the Dockerfile makes. There is one
// network here instead of one a container, so ports are free ones of this machine, and `postgres` is the bundled PostgreSQL.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '#server/platform/embedded-postgres/embedded-postgres.ts';
import { freePort } from '#test/program.ts';
import { type Fields, fieldsOf, readCompose, wordOf, wordsOf } from './compose.ts';
import type { Stage } from './dockerfile.ts';

const HEALTHY_WITHIN_MS = 60_000;

export interface Composed {
  /** Of `web`. */
  readonly address: string;
  /** As `docker compose run --rm web …`. @throws when it ends with anything but 0 */
  run(args: readonly string[], input?: string): Promise<void>;
  /** As `docker compose stop`. @throws when a process does not end with 0, or takes longer than it is given */
  stop(): Promise<void>;
}

interface Running {
  readonly name: string;
  readonly child: ChildProcess;
  readonly graceMs: number;
}

const ended = (child: ChildProcess) =>
  child.exitCode === null
    ? new Promise<number | null>((done) => child.once('exit', (code) => done(code)))
    : Promise.resolve(child.exitCode);

/**
 * @param text compose.yaml
 * @param env what `.env` says
 * @param path PATH of the processes
 */
export async function composeUp(
  image: Stage,
  { text, env, folder, path }: { text: string; env: Record<string, string>; folder: string; path: string },
  work: (composed: Composed) => Promise<void>,
): Promise<void> {
  const services = new Map(
    Object.entries(fieldsOf(readCompose(text, env).services))
      .map(([name, service]) => [name, fieldsOf(service)] as const)
      .filter(([, { profiles }]) => profiles === undefined),
  );
  const { ENTRYPOINT = [], CMD = [], HEALTHCHECK = [] } = image.commands;
  const running: Running[] = [];
  let postgres: Awaited<ReturnType<typeof startEmbeddedPostgres>> | undefined;

  /** What a container of the service finds in its environment. */
  function environmentOf(service: Fields, ports: Record<string, string>): Record<string, string> {
    const own = Object.entries(fieldsOf(service.environment)).flatMap(([name, value]) => {
      const given = value === null ? env[name] : wordOf(value);
      return given === undefined ? [] : [[name, given.replace('postgres:5432', new URL(postgres?.url ?? '').host)]];
    });
    return { PATH: path, ...image.env, ...Object.fromEntries(own), ...ports };
  }

  /** A user who owns nothing of it: `read_only`. */
  function start(command: readonly string[], environment: Record<string, string>): ChildProcess {
    const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const [program = '', ...args] = command;
    const cwd = join(image.root, image.workdir);
    return spawn(program, args, { cwd, env: environment, stdio: ['pipe', 'ignore', 'inherit'], ...asNobody });
  }

  async function runToEnd(command: readonly string[], environment: Record<string, string>, input = ''): Promise<void> {
    const child = start(command, environment);
    child.stdin?.end(input);
    assert.equal(await ended(child), 0, command.join(' '));
  }

  /** Until its health check says so. @throws when the process ends first, or it takes too long */
  async function untilHealthy({ name, child }: Running, test: readonly string[], environment: Record<string, string>) {
    for (const end = Date.now() + HEALTHY_WITHIN_MS; ; await sleep(300)) {
      assert.equal(child.exitCode, null, `${name} has ended`);
      if ((await ended(start(test, environment))) === 0) return;
      assert.ok(Date.now() < end, `${name} does not get healthy`);
    }
  }

  async function up(name: string, service: Fields): Promise<void> {
    process.stdout.write(`UP ${name}\n`);
    if (name === 'postgres') {
      postgres = await startPostgres(fieldsOf(service.environment), folder);
      return;
    }
    assert.equal(service.image, 'kaitaku', `${name} is of an image that nobody knows`);
    const command = [...ENTRYPOINT, ...(service.command === undefined ? CMD : wordsOf(service.command))];
    const isAwaited = [...services.values()].some(
      ({ depends_on }) => fieldsOf(fieldsOf(depends_on)[name]).condition === 'service_completed_successfully',
    );
    for (let n = 0; n < Number(wordOf(fieldsOf(service.deploy).replicas) || 1); n += 1) {
      const ports = { PORT: String(await freePort()), METRICS_PORT: String(await freePort()) };
      const environment = environmentOf(service, ports);
      if (isAwaited) {
        await runToEnd(command, environment);
        continue;
      }
      const graceMs = Number.parseInt(wordOf(service.stop_grace_period), 10) * 1000;
      const process = { name, child: start(command, environment), graceMs };
      running.push(process);
      if (name === 'web') web = { service, ports };
      const { test } = fieldsOf(service.healthcheck);
      const health = test === undefined ? HEALTHCHECK : wordsOf(test).slice(1);
      const stated = wordOf(fieldsOf(service.environment).METRICS_PORT);
      await untilHealthy(
        process,
        health.map((word) => word.replace(stated, ports.METRICS_PORT)),
        environment,
      );
    }
  }
  let web: { readonly service: Fields; readonly ports: { readonly PORT: string } } | undefined;

  try {
    for (const [name, service] of inOrder(services)) await up(name, service);
    assert.ok(web, 'compose.yaml has no web');
    const { service, ports } = web;
    await work({
      address: `http://127.0.0.1:${ports.PORT}`,
      run: (args, input) => runToEnd([...ENTRYPOINT, ...args], environmentOf(service, {}), input),
      async stop() {
        for (const { child } of running) child.kill('SIGTERM');
        for (const { name, child, graceMs } of running) {
          const code = await Promise.race([ended(child), sleep(graceMs, 'no end', { ref: false })]);
          assert.equal(code, 0, `${name} after SIGTERM`);
        }
      },
    });
  } finally {
    for (const { child } of running) child.kill('SIGKILL');
    await postgres?.stop();
  }
}

/** Each behind those that it depends on. */
function inOrder(services: ReadonlyMap<string, Fields>): [string, Fields][] {
  const done = new Map<string, Fields>();
  while (done.size < services.size) {
    const next = [...services].find(
      ([name, { depends_on }]) => !done.has(name) && Object.keys(fieldsOf(depends_on)).every((one) => done.has(one)),
    );
    assert.ok(next, 'the services of compose.yaml wait for each other');
    done.set(...next);
  }
  return [...done];
}

/** With the user, the database and the password that the image of PostgreSQL makes of its environment. */
async function startPostgres({ POSTGRES_USER, POSTGRES_PASSWORD }: Fields, folder: string) {
  mkdirSync(join(folder, 'database'), { mode: 0o755 });
  writeFileSync(join(folder, 'database', 'postgres.password'), wordOf(POSTGRES_PASSWORD), { mode: 0o600 });
  const postgres = await startEmbeddedPostgres(join(folder, 'database'), ['fsync=off']);
  const { username, password, pathname } = new URL(postgres.url);
  assert.deepEqual([username, password, pathname], [POSTGRES_USER, POSTGRES_PASSWORD, `/${wordOf(POSTGRES_USER)}`]);
  return postgres;
}
