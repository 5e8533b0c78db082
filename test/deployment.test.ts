import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { program } from '#server/commands/program.ts';
import { readSettings } from '#server/platform/settings.ts';
import { type Manifest, packedManifest } from '../scripts/pack.ts';
import { settingsTable } from './settings-table.ts';

const ROOT = join(import.meta.dirname, '..');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

const manifest = JSON.parse(textOf('package.json')) as Manifest;
const { dependencies, optionalDependencies } = manifest;
const packed = packedManifest(manifest);

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment: Readonly<Record<string, unknown>>;
  readonly logging?: { readonly options: Readonly<Record<string, string>> };
  readonly depends_on?: Readonly<Record<string, unknown>> | readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[] | Readonly<Record<string, { readonly ipv4_address: string }>>;
}

interface Compose {
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
  readonly networks?: Readonly<Record<string, { readonly ipam: { readonly config: readonly Subnet[] } }>>;
}

interface Subnet {
  readonly subnet: string;
  readonly ip_range: string;
}

const DOCKERFILE = textOf('Dockerfile');
const FILES = ['compose.yaml', 'compose.server.yaml'] as const;
const [trial, server] = FILES.map((name) => parse(textOf(name), { merge: true }) as Compose) as [Compose, Compose];
const ours = Object.entries(server.services).filter(([, { image }]) => image === 'kaitaku');
const commands = program(() => readSettings({})).commands.map((command) => command.name());

test('the Dockerfile uses the Node version of npm start', () => {
  const versions = all(DOCKERFILE, /^FROM node:([\d.]+)-/gm);
  const ours = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'));
  expect(ours).toHaveLength(3);
  expect(new Set(versions)).toStrictEqual(new Set(ours.map(([, version]) => version)));
});

const ignored = textOf('.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
/** Whether a file stays out of the image's context: it, or a folder above it, matches a rule. */
const isOut = (path: string) => ignored.some((rule) => matchesGlob(path, rule) || matchesGlob(path, `${rule}/**`));

test('.dockerignore leaves secrets out of the image, and what git ignores', () => {
  // A line that lets a file in again would need another reading of the rules.
  expect(ignored.filter((rule) => rule.startsWith('!'))).toStrictEqual([]);
  const secrets = [
    '.env',
    '.env.server',
    'docs/deploy/.env',
    '.npmrc',
    'docs/.npmrc',
    '.git/config',
    'data/secret.key',
  ];
  const kept = ['secret.key', 'kaitaku.key', 'ssl/kaitaku.pem', 'kaitaku.backup', 'kaitaku.dump', 'backups/old.gz'];
  const heavy = ['node_modules/vite/package.json', 'data/postgres/PG_VERSION', 'dist/web/index.html', 'start.log'];
  expect([...secrets, ...kept, ...heavy].filter((path) => !isOut(path))).toStrictEqual([]);
  const ofGit = textOf('.gitignore').split('\n').filter(Boolean);
  const paths = ofGit.map((rule) => rule.replace(/^\//, '').replace(/\/$/, '/file').replace('*', 'any'));
  expect(paths.filter((path) => !isOut(path))).toStrictEqual([]);
});

test('.dockerignore lets every file of the clone in that a build may read', () => {
  const tracked = spawnSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).stdout.trim().split('\n');
  expect(tracked).toContain('scripts/pack.ts');
  expect(tracked.filter(isOut)).toStrictEqual(['.env.example', '.npmrc', 'test/released/1.0.0.backup']);
});

test('the image holds the package that the clone packs, and the dependencies of its shrinkwrap', () => {
  expect(all(DOCKERFILE, /^COPY (.*) \S+$/gm)).toStrictEqual([
    'package.json package-lock.json',
    '.',
    '--from=build /package',
  ]);
  expect(all(DOCKERFILE, /(node scripts\/pack\.ts) \//g)).toHaveLength(1);
  const installs = all(DOCKERFILE, /npm ((?:ci|install) [^\n]*)/g);
  expect(installs.map((line) => [line.split(' ')[0], line.includes('--omit=dev --omit=optional')])).toStrictEqual([
    ['ci', false],
    ['install', true],
  ]);
  expect(installs.filter((line) => !line.includes('--ignore-scripts'))).toStrictEqual([]);
});

/** Returns the packages whose values the sources import, without tests. */
function importedBy(pattern: string): Set<string> {
  const sources = globSync(pattern, { cwd: ROOT }).filter((path) => !/\.test\.tsx?$/.test(path));
  const specifiers = sources.flatMap((path) =>
    all(textOf(path), /(?:^(?:import|export) (?!type)[^;]*?from |\bimport\()'([^.#'][^']*)'/gm),
  );
  const names = specifiers
    .filter((name) => !name.startsWith('node:'))
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
  return new Set(names);
}

test('the package and the image install every package that the server imports, and no other', () => {
  const imported = importedBy('src/{domain,contract,server}/**/*.ts');
  expect(imported).toContain('commander');
  // MailDev is found by its path. A dependency needs @fastify/swagger to be installed.
  const wanted = [...imported].filter((name) => name !== 'maildev');
  expect(new Set(Object.keys(packed.dependencies))).toStrictEqual(new Set([...wanted, '@fastify/swagger']));
});

test('npm start installs what building the web client needs', () => {
  const imported = [...importedBy('src/web/**/*.{ts,tsx}'), ...importedBy('vite.config.ts')];
  expect(imported).toEqual(expect.arrayContaining(['react', '@tiptap/core', 'marked', 'vite']));
  // scripts/icons.ts replaces the icon package.
  expect(imported.filter((name) => !(name in dependencies))).toStrictEqual(['@tabler/icons-react']);
});

test('the image and its services run commands of the program, and wait for services that are there', () => {
  expect(all(DOCKERFILE, /^ENTRYPOINT \["node", "--enable-source-maps", "([^"]+)"\]$/gm)).toStrictEqual([
    'dist/server/main.js',
  ]);
  const [unit] = all(
    textOf('docs/deploy/kaitaku@.service'),
    /^ExecStart=\S+\/bin\/node --enable-source-maps (\S+) %i$/gm,
  );
  expect(unit).toBe('node_modules/kaitaku/dist/server/main.js');
  expect(commands).toContain(all(DOCKERFILE, /^CMD \["([^"]+)"\]$/gm)[0]);
  const run = ours.map(([, { command }]) => command?.[0] ?? '');
  expect(run.toSorted()).toStrictEqual(['backup', 'migrate', 'web', 'worker']);
  expect(run.filter((name) => !commands.includes(name))).toStrictEqual([]);
  expect(trial.services.try?.entrypoint?.at(-1)).toMatch(
    /\bexec node --enable-source-maps dist\/server\/main\.js all\n$/,
  );
  for (const { services } of [trial, server]) {
    const awaited = Object.values(services).flatMap(({ depends_on = {} }) =>
      Array.isArray(depends_on) ? depends_on : Object.keys(depends_on),
    );
    expect(awaited.filter((name) => !(name in services))).toStrictEqual([]);
  }
});

const publishedBy = ({ services }: Compose) => Object.values(services).flatMap(({ ports = [] }) => ports);

test('a trial is a project of its own, open to this machine alone; a server has the data of 1.0, behind Caddy', () => {
  expect([trial.name, publishedBy(trial)]).toStrictEqual([
    'kaitaku-try',
    ['127.0.0.1:3000:3000', '127.0.0.1:1080:1080'],
  ]);
  expect([server.name, publishedBy(server)]).toStrictEqual(['kaitaku', ['0.0.0.0:80:80', '0.0.0.0:443:443']]);
  expect(Object.keys(server.volumes)).toEqual(expect.arrayContaining(['database', 'receipts']));
  expect(server.services.postgres?.volumes).toStrictEqual(['database:/var/lib/postgresql']);
  expect(server.services.worker?.volumes).toStrictEqual(['receipts:/app/data']);
  expect(server.services.backup?.volumes).toContain('receipts:/app/data:ro');
});

test('`web` trusts the fixed address of Caddy and nothing else, and no other container gets it', () => {
  const { networks: ofCaddy } = server.services.caddy ?? {};
  const { TRUST_PROXY } = server.services.web?.environment ?? {};
  expect(ofCaddy).toStrictEqual({ front: { ipv4_address: TRUST_PROXY } });
  const [{ subnet, ip_range } = { subnet: '', ip_range: '' }] = server.networks?.front?.ipam.config ?? [];
  const has = (range: string) => {
    const [network = '', bits] = range.split('/');
    const list = new BlockList();
    list.addSubnet(network, Number(bits));
    return list.check(String(TRUST_PROXY));
  };
  expect([has(subnet), has(ip_range)]).toStrictEqual([true, false]);
  const inFront = Object.entries(server.services).filter(([, { networks = {} }]) =>
    Array.isArray(networks) ? networks.includes('front') : 'front' in networks,
  );
  expect(inFront.map(([name]) => name)).toStrictEqual(['caddy', 'web']);
});

/** Runs the shell of a service of compose.yaml in a folder, with a stand-in for the program that it ends in. */
function runShell(service: string, folder: string, standIn: readonly [written: string, shell: string]): string {
  const [program = '', flag = '', script = ''] = trial.services[service]?.entrypoint ?? [];
  const local = script
    .replaceAll('$$', '$')
    .replaceAll(' /data/', ' data/')
    .replace(...standIn);
  const { stdout, stderr, status } = spawnSync(program, [flag, local], { cwd: folder, encoding: 'utf8' });
  expect([status, stderr]).toStrictEqual([0, '']);
  return stdout;
}

test('the trial shows where caught mails are read: below a path that its first start makes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-try-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'data'));
  const start = () =>
    runShell('try', folder, [/exec node .*/.exec(String(trial.services.try?.entrypoint))?.[0] ?? '', '']);
  const shown = start();
  const [path = ''] = all(shown, /http:\/\/127\.0\.0\.1:1080(\/[0-9a-f]{32})\//g);
  expect(path).not.toBe('');
  expect(start()).toBe(shown);
  const { mode } = await stat(join(folder, 'data/mail-catcher.key'));
  expect(mode & 0o777).toBe(0o600);
  const catcher = runShell('mail-catcher', folder, ['exec bin/maildev', 'exec printenv MAILDEV_BASE_PATHNAME']);
  expect(catcher).toBe(`${path}\n`);
  expect(trial.services['mail-catcher']?.image).toBe(`maildev/maildev:${optionalDependencies.maildev}`);
});

test('the compose files bound the log of each container', () => {
  for (const { services } of [trial, server]) {
    const unbounded = Object.entries(services).filter(
      ([, { logging }]) => !/^\d+m$/.test(logging?.options['max-size'] ?? ''),
    );
    expect(unbounded.map(([name]) => name)).toStrictEqual([]);
  }
});

test('base images are pinned by the digest that the registry names', async () => {
  const pinned = ['Dockerfile', ...FILES];
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-pin-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const file of pinned) await copyFile(join(ROOT, file), join(folder, file));
  const digest = `sha256:${'5a'.repeat(32)}`;
  await writeFile(join(folder, 'docker'), `#!/bin/sh\n[ "$4" != fail:1 ] && echo ${digest}\n`, { mode: 0o755 });
  const pin = (...args: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'scripts/pin-images.ts'), folder, ...args], {
      env: { PATH: `${folder}:${process.env.PATH}` },
      encoding: 'utf8',
    });
  expect(pin('--check')).toMatchObject({ status: 1, stderr: expect.stringContaining('postgres:18') });
  expect(pin()).toMatchObject({ status: 0 });
  expect(pin('--check')).toMatchObject({ status: 0 });
  expect(pin()).toMatchObject({ status: 0 });
  const texts = await Promise.all(pinned.map((file) => readFile(join(folder, file), 'utf8')));
  expect(all(texts.join(''), new RegExp(`(?:FROM|image:) (\\S+)@${digest}(?: AS|$)`, 'gm'))).toHaveLength(6);
  expect(texts.join('').replaceAll(`@${digest}`, '')).toBe(pinned.map(textOf).join(''));
});

test('the compose files set only settings that the program has, and the server’s all of them', () => {
  const given = new Set(ours.flatMap(([, { environment }]) => Object.keys(environment)));
  const known = settingsTable().map(({ name }) => name);
  expect(given).toContain('DATABASE_URL');
  const tried = Object.keys(trial.services.try?.environment ?? {});
  expect([...given, ...tried].filter((name) => !known.includes(name))).toStrictEqual([]);
  // The image sets its own address, and has no bundled database, mail catcher or demo; Caddy has its own header.
  const ofOneMachine = /^(?:HOST|PORT|PUBLIC_URL|PROXY_HEADER|DATA_DIR|MAIL_CATCHER_\w+|KAITAKU_DEMO)$/;
  expect(known.filter((name) => !given.has(name) && !ofOneMachine.test(name))).toStrictEqual([]);
});

test('.env.example names what compose.server.yaml demands, and that file', () => {
  const example = textOf('.env.example');
  const demanded = new Set(
    all(textOf('compose.server.yaml'), /\$\{(\w+):\?\.env の \1 に、[^}]*を書いてください。\}/g),
  );
  expect(demanded).toStrictEqual(new Set(['SITE', 'POSTGRES_PASSWORD', 'SECRET_KEY']));
  expect(new Set(all(example, /^(\w+)=$/gm))).toStrictEqual(demanded);
  expect(all(example, /^COMPOSE_FILE=(.*)$/gm)).toStrictEqual(['compose.server.yaml']);
  // The trial needs no .env: $$ is a $ of the shell.
  expect(textOf('compose.yaml').replaceAll('$$', '')).not.toContain('$');
});

// `npm run generate` writes the English table: test/schema/generated-files.test.ts.
test('the Japanese table of settings has the settings that the program has', () => {
  const [, section = ''] = /\n## 設定\n([\s\S]*?)\n## /.exec(textOf('docs/setup.ja.md')) ?? [];
  const names = section.split('\n').flatMap((line) => all(/^\| (.*?) \|/.exec(line)?.[1] ?? '', /`([A-Z_]+)`/g));
  expect(names.toSorted()).toStrictEqual(
    settingsTable()
      .map(({ name }) => name)
      .toSorted(),
  );
});
