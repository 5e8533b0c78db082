import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const SHRINKWRAP = 'npm-shrinkwrap.json';
/** npm prints each file that it packs. */
const MAX_PRINTED_BYTES = 100_000_000;

/** What the package has: the built program, what it reads, and what its operators read. */
const PACKED = [
  /^bin\/[\w-]+\.cjs$/,
  /^dist\/server\/[\w.-]+\.js(?:\.map)?$/,
  /^dist\/web\/(?!.*\.map$)/,
  /^docs\/(?:deploy|deploy\/ha|monitoring)\/[\w@.-]+$/,
  /^docs\/[\w.]+\.md$/,
  /^examples\/prospects\.csv$/,
  /^migrations\/(?:\d{4}_\w+\.sql|released\.sha256)$/,
  /^src\/server\/[\w/-]+\.(?:css|js|md)$/,
  /^(?:CHANGELOG|README|README\.ja)\.md$|^LICENSE$|^package\.json$/,
];

/** Dependencies that only building the web client needs: its files are in the package. */
const OF_BUILD = /^(?:diff|marked|react|react-dom|vite|zustand|@(?:tanstack|tiptap|vitejs)\/.+)$/;

/** The fields of package.json that the package changes. */
export interface Manifest {
  version: string;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  devDependencies?: Record<string, string>;
  files: string[];
}

/** Returns package.json of the package: without what only the clone needs, with its shrinkwrap. */
export function packedManifest(manifest: Manifest, version = manifest.version): Manifest {
  const { devDependencies: _, ...packed } = manifest;
  const served = Object.entries(manifest.dependencies).filter(([name]) => !OF_BUILD.test(name));
  return { ...packed, version, dependencies: Object.fromEntries(served), files: [...manifest.files, SHRINKWRAP] };
}

/** Bundles the server into dist/server, which the package takes beside dist/web. */
export function bundleServer(): void {
  const args = ['node_modules/vite/bin/vite.js', 'build', '--config', 'vite.server.config.ts', '--logLevel', 'warn'];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
}

const npm = (args: readonly string[], cwd: string): string =>
  execFileSync('npm', args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: MAX_PRINTED_BYTES,
    shell: process.platform === 'win32',
  });

/** Packs a folder by npm. @returns the name of the file, and the paths of its files */
function npmPack(cwd: string, destination: string): { filename: string; paths: string[] } {
  const printed = npm(['pack', '--json', '--pack-destination', destination], cwd);
  const [packed] = JSON.parse(printed) as { filename: string; files: { path: string }[] }[];
  if (!packed) throw new Error(`npm pack printed ${printed}`);
  return { filename: packed.filename, paths: packed.files.map(({ path }) => path) };
}

interface Entry {
  readonly version: string;
  readonly integrity?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  engines?: unknown;
}

/** What a lock file and a shrinkwrap say, by the paths of packages; '' is the package itself. */
export interface Lock {
  readonly packages: Readonly<Record<string, Entry>>;
}

/**
 * Makes the shrinkwrap of the manifest in a folder: what our lock file says of its dependencies, on all platforms.
 * Offline, so that npm takes nothing else.
 */
function makeShrinkwrap(folder: string): Lock {
  const path = join(folder, 'package-lock.json');
  copyFileSync(join(ROOT, 'package-lock.json'), path);
  const args = ['install', '--package-lock-only', '--offline', '--ignore-scripts', '--no-audit', '--loglevel=error'];
  npm([...args, '--omit-lockfile-registry-resolved'], folder);
  const lock = JSON.parse(readFileSync(path, 'utf8')) as Lock;
  // The program runs in Node 24, whatever runs npm: a Node 20 would warn of each package that wants a newer one.
  for (const [at, entry] of Object.entries(lock.packages)) if (at !== '') delete entry.engines;
  rmSync(path);
  writeFileSync(join(folder, SHRINKWRAP), `${JSON.stringify(lock, null, 2)}\n`);
  return lock;
}

/**
 * Copies what the package brings from the packages of this clone: all that runs on every platform.
 * npm reads no shrinkwrap of a file that is installed (decisions/release).
 */
function copyParts({ packages }: Lock, folder: string): void {
  for (const [path, { version, os, cpu }] of Object.entries(packages)) {
    if (path === '' || os !== undefined || cpu !== undefined) continue;
    const from = join(ROOT, path);
    const { version: installed } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Manifest;
    if (installed !== version)
      throw new Error(`${path} is ${installed}, not ${version} as in the lock file: npm install`);
    // Packages inside of it have entries of their own.
    cpSync(from, join(folder, path), { recursive: true, filter: (file) => !/[\\/]node_modules$/.test(file) });
  }
}

interface Options {
  /** Version of the package, if package.json has another. */
  readonly version?: string;
  /** Whether it brings its parts. Without them it is packed in seconds, and used beside those of the clone. */
  readonly withParts?: boolean;
}

/**
 * Packs what was built.
 * @returns the path of the package in `folder`
 * @throws where npm packed a file that a package must not have, or this clone has other packages than the lock file
 */
export function pack(folder: string, { version, withParts = true }: Options = {}): string {
  const work = mkdtempSync(join(tmpdir(), 'kaitaku-pack-'));
  const unpacked = join(work, 'package');
  try {
    const { filename, paths } = npmPack(ROOT, work);
    const strange = paths.filter((path) => !PACKED.some((known) => known.test(path)));
    if (strange.length > 0) throw new Error(`the package has files that it must not have: ${strange.join(', ')}`);
    execFileSync('tar', ['xzf', filename], { cwd: work });
    const manifest = packedManifest(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest, version);
    const write = (more: object) =>
      writeFileSync(join(unpacked, 'package.json'), `${JSON.stringify({ ...manifest, ...more }, null, 2)}\n`);
    write({});
    const lock = makeShrinkwrap(unpacked);
    if (withParts) {
      copyParts(lock, unpacked);
      const isHere = (name: string) => existsSync(join(unpacked, 'node_modules', name));
      const direct = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.optionalDependencies)];
      write({ bundleDependencies: direct.filter(isHere) });
    }
    return join(folder, npmPack(unpacked, folder).filename);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** Returns the list of parts (SBOM, CycloneDX) of an unpacked package. */
export const partsOf = (folder: string): string =>
  npm(['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev', '--package-lock-only'], folder);
