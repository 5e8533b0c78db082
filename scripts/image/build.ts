import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Outside of the tree: base, store and images are some gigabytes. IMAGE_FOLDER names another place. */
const FOLDER =
  process.env.IMAGE_FOLDER ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kaitaku', 'image');

/** Stands in files that must not reach an image, and in npm's settings. */
const CANARY = 'canary-of-check-image';
const SECRET_FILES = ['.env', '.npmrc', 'data/secret.key', 'kaitaku.backup', '.git/config'];

export const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): string =>
  execFileSync(program, args, { env, encoding: 'utf8', maxBuffer: 100_000_000, stdio: ['ignore', 'pipe', 'inherit'] });

/** The settings with which an image says that it is to be run. */
interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly WorkingDir: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
}

export interface Image {
  /** The folder of its files. */
  readonly files: string;
  readonly config: ImageConfig;
}

const DIGEST = /@sha256:[0-9a-f]{64}/g;

/** Returns the name in FROM, without a digest: buildah 1.28 replaces only the first FROM by another name. */
function baseName(dockerfile: string): string {
  const [, name = ''] = /^FROM (\S+)/m.exec(dockerfile.replaceAll(DIGEST, '')) ?? [];
  return name;
}

/** Returns the folder of a Debian like the base image's, with the Node of the lock file and this machine's npm. */
function debian(name: string): string {
  const [, suite = ''] = /-(\w+)-slim$/.exec(name) ?? [];
  const folder = join(FOLDER, `base-${name.replace(/\W/g, '-')}`);
  if (existsSync(folder)) return folder;
  const made = `${folder}.made`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const mirror = process.env.DEBIAN_MIRROR;
  run('debootstrap', ['--variant=minbase', suite, made, ...(mirror ? [mirror] : [])]);
  cpSync(join(ROOT, 'node_modules', `node-linux-${process.arch}`, 'bin/node'), join(made, 'usr/local/bin/node'));
  const npm = dirname(dirname(realpathSync(run('sh', ['-c', 'command -v npm']).trim())));
  cpSync(npm, join(made, 'usr/local/lib/node_modules/npm'), { recursive: true });
  run('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(made, 'usr/local/bin/npm')]);
  run('chroot', [made, 'useradd', '--create-home', '--uid', '1000', 'node']);
  renameSync(made, folder);
  return folder;
}

/** Runs buildah on a store of its own. */
function buildah(...args: readonly string[]): string {
  const registries = join(FOLDER, 'registries.conf');
  writeFileSync(registries, 'unqualified-search-registries = ["docker.io"]\n');
  const env = { ...process.env, CONTAINERS_REGISTRIES_CONF: registries };
  const store = ['--root', join(FOLDER, 'store'), '--runroot', join(FOLDER, 'run'), '--storage-driver', 'vfs'];
  return run('buildah', [...store, ...args], env).trim();
}

/** Copies what a clone has, with files that hold secrets beside it, and a Dockerfile without digests. */
function makeContext(): string {
  const context = join(FOLDER, 'context');
  rmSync(context, { recursive: true, force: true });
  const files = run('git', ['-C', ROOT, 'ls-files', '--cached', '--others', '--exclude-standard']).trim().split('\n');
  for (const file of files) if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(context, file));
  for (const file of SECRET_FILES) {
    mkdirSync(dirname(join(context, file)), { recursive: true });
    appendFileSync(join(context, file), `# ${CANARY}\n`);
  }
  const dockerfile = join(context, 'Dockerfile');
  const bare = readFileSync(dockerfile, 'utf8').replaceAll(DIGEST, '');
  // The stage that reads the clone is not kept, so it is searched while it is built.
  const search = `RUN ! grep -rlF --exclude-dir=node_modules --exclude=build.ts --exclude=Dockerfile ${CANARY} .`;
  const searched = bare.replace(/^COPY \. \.$/m, `$&\n${search}`);
  if (searched === bare) throw new Error('the Dockerfile copies no clone');
  writeFileSync(dockerfile, searched);
  return context;
}

/** Writes npm's settings of this machine for the build, with the authorities that it trusts in the file. */
function makeNpmSettings(): string {
  const path = join(FOLDER, 'npmrc');
  const settings = JSON.parse(run('npm', ['config', 'list', '--json'])) as Record<string, string | null>;
  const user = join(homedir(), '.npmrc');
  const file = settings.cafile ?? process.env.NODE_EXTRA_CA_CERTS;
  const authorities = file
    ? (readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[\w+/=\s]*-----END CERTIFICATE-----/g) ?? [])
    : [];
  const lines = [
    `# ${CANARY}`,
    existsSync(user) ? readFileSync(user, 'utf8') : '',
    `registry=${settings.registry}`,
    ...authorities.map((one) => `ca[]=${JSON.stringify(one)}`),
  ];
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
  return path;
}

/**
 * Builds the image from this clone by buildah, without a registry of images.
 * @throws if a secret of the clone reaches a stage, or npm's settings a layer
 */
export function buildImage(): Image {
  const name = baseName(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
  const base = debian(name);
  rmSync(join(FOLDER, 'store'), { recursive: true, force: true });
  const made = buildah('from', 'scratch');
  buildah('add', '-q', made, base, '/');
  buildah('commit', '-q', made, `docker.io/library/${name}`);
  buildah('rm', made);
  const context = makeContext();
  const how = ['--isolation', 'chroot', '--pull-never', '--format', 'docker'];
  buildah('bud', '-q', ...how, '--secret', `id=npmrc,src=${makeNpmSettings()}`, '-t', 'kaitaku', context);
  refuseCanary();
  const container = buildah('from', '--pull-never', 'kaitaku');
  const { OCIv1 } = JSON.parse(buildah('inspect', '--type', 'image', 'kaitaku')) as { OCIv1: { config: ImageConfig } };
  return { files: buildah('mount', container), config: OCIv1.config };
}

/** @throws if the store holds a canary: every layer is a folder there */
function refuseCanary(): void {
  // grep ends with 1 where it finds nothing.
  const found = run('sh', ['-c', 'grep -rlF "$1" "$2" || [ $? = 1 ]', 'sh', CANARY, join(FOLDER, 'store')]);
  if (found !== '') throw new Error(`npm's settings are in the image: ${found}`);
}
