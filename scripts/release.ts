// npm run release: makes a release in release/: package, the image's build context, software bill of materials (SBOM),
// notes and checksums. Its version is that of package.json, or a pre-release of the next one. It publishes nothing.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '#server/platform/embedded-postgres/embedded-postgres.ts';
import { freePort } from '#test/program.ts';
import { checkPackage } from './check-package.ts';
import { bundleServer, pack, partsOf } from './pack.ts';
import { notesOf, prereleaseOf } from './release-version.ts';
import { editedMigrations, newMigrations } from './released-migrations.ts';

const ROOT = join(import.meta.dirname, '..');
const RELEASE = join(ROOT, 'release');
/** The files of the image's context besides the package. */
const OF_IMAGE = ['Dockerfile', '.dockerignore', 'compose.yaml'];

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const CHANGELOG = textOf('CHANGELOG.md');
const say = (text: string) => process.stdout.write(`${text}\n`);
const run = (program: string, args: readonly string[], cwd = ROOT): string =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

const isPrerelease = (version: string) => version.includes('-');

/** Returns why this tree cannot be released, or null. */
function fault(version: string): string | null {
  const changes = run('git', ['status', '--porcelain']);
  if (changes !== '') return `commit these changes first:\n${changes}`;
  const edited = editedMigrations();
  if (edited.length > 0) return `migrations of a release were edited: ${edited.join(', ')}`;
  if (isPrerelease(version)) return null;
  const added = newMigrations();
  if (added.length > 0) return `run node scripts/released-migrations.ts, and commit: ${added.join(', ')}`;
  return notesOf(CHANGELOG, version) === null ? `CHANGELOG.md has no heading "## ${version} - YYYY-MM-DD"` : null;
}

/** Installs the image's packages into a copy of its context, migrates a database and starts the server from there. */
async function checkImage(context: string): Promise<void> {
  run('npm', ['install', '--omit=dev', '--omit=optional', '--ignore-scripts', '--loglevel=error'], context);
  const data = mkdtempSync(join(tmpdir(), 'kaitaku-release-'));
  chmodSync(data, 0o755);
  const postgres = await startEmbeddedPostgres(data, ['fsync=off']);
  const port = await freePort();
  const env = {
    LOG_LEVEL: 'error',
    PATH: process.env.PATH,
    PORT: String(port),
    DATABASE_URL: postgres.url,
    SMTP_URL: 'smtp://127.0.0.1:1',
  };
  let web: ChildProcess | undefined;
  try {
    const main = ['--enable-source-maps', 'dist/server/main.js'];
    execFileSync(process.execPath, [...main, 'migrate'], { cwd: context, env });
    web = spawn(process.execPath, [...main, 'web'], {
      cwd: context,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(web, 'exit');
    const page = await until(async () => (await fetch(`http://127.0.0.1:${port}/login`)).text(), web);
    if (!page.includes('<title>')) throw new Error(`the image serves no page: ${page}`);
    web.kill('SIGTERM');
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error(`web ended with ${code}`);
  } finally {
    web?.kill('SIGKILL');
    await postgres.stop();
    rmSync(data, { recursive: true });
  }
}

const START_MAX_MS = 60_000;

/** Retries `work` until it succeeds, the process has ended or a minute has passed. */
async function until<Result>(work: () => Promise<Result>, child: ChildProcess): Promise<Result> {
  const end = Date.now() + START_MAX_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (child.exitCode !== null || child.signalCode !== null || Date.now() > end) throw error;
      await sleep(100);
    }
  }
}

/**
 * Makes the image's build context, its archive, and the SBOM, which npm names after the folder. The image installs
 * dependencies by the shrinkwrap, because it omits some.
 */
async function makeImage(file: string, version: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-image-'));
  const context = join(folder, 'kaitaku');
  try {
    run('tar', ['xzf', file, '-C', folder]);
    rmSync(join(folder, 'package/node_modules'), { recursive: true });
    renameSync(join(folder, 'package'), context);
    for (const name of OF_IMAGE) copyFileSync(join(ROOT, name), join(context, name));
    writeFileSync(join(RELEASE, `kaitaku-${version}.cdx.json`), partsOf(context));
    run('tar', ['czf', join(RELEASE, `kaitaku-${version}-image.tgz`), '-C', folder, 'kaitaku']);
    await checkImage(context);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const mayChange = (migrations: readonly string[]) =>
  migrations.length === 0
    ? 'it has no new migrations'
    : `a release may refuse its databases, as ${migrations.join(', ')} may still change`;

function writeSums(): void {
  const hashOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(RELEASE, name)))
      .digest('hex');
  const names = readdirSync(RELEASE).sort();
  writeFileSync(join(RELEASE, 'SHA256SUMS'), names.map((name) => `${hashOf(name)}  ${name}\n`).join(''));
}

const { version: own } = JSON.parse(textOf('package.json')) as { version: string };
const version = prereleaseOf(CHANGELOG, own, Number(run('git', ['rev-list', '--count', 'HEAD']))) ?? own;
const found = fault(version);
if (found === null) {
  rmSync(RELEASE, { recursive: true, force: true });
  mkdirSync(RELEASE);
  say(`building Kaitaku ${version}`);
  run(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn']);
  bundleServer();
  const file = pack(RELEASE, { version });
  say('installing the package and using it');
  checkPackage(file);
  say('installing the image’s context and serving from it');
  await makeImage(file, version);
  writeFileSync(join(RELEASE, `kaitaku-${version}.md`), notesOf(CHANGELOG, version) ?? '');
  writeSums();
  say(readFileSync(join(RELEASE, 'SHA256SUMS'), 'utf8').trimEnd());
  if (isPrerelease(version)) say(`Kaitaku ${version} is a pre-release: ${mayChange(newMigrations())}`);
} else {
  process.stderr.write(`${found}\n`);
  process.exitCode = 1;
}
