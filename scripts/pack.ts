import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prereleaseOf } from './release-version.ts';

const ROOT = join(import.meta.dirname, '..');
const SHRINKWRAP = 'npm-shrinkwrap.json';
/** The output buffer for npm, which prints each packed file. */
const MAX_PRINTED_BYTES = 100_000_000;

/** The package's files: the built program, the files that it reads, and its operators' documents. */
const PACKED = [
  /^bin\/[\w-]+\.cjs$/,
  /^dist\/server\/[\w.-]+\.js(?:\.map)?$/,
  /^dist\/web\/(?!.*\.map$)/,
  /^docs\/(?:deploy|deploy\/ha|monitoring)\/[\w@.-]+$/,
  /^docs\/[\w.-]+\.md$/,
  /^examples\/prospects\.csv$/,
  /^migrations\/(?:\d{4}_\w+\.sql|released\.sha256)$/,
  /^src\/server\/[\w/-]+\.(?:css|js|md|txt)$/,
  /^(?:CHANGELOG|README|README\.ja)\.md$|^LICENSE$|^package\.json$/,
];

/** Dependencies that only the build of the web client needs: the package contains its result. */
const OF_BUILD = /^(?:diff|marked|react|react-dom|uqr|vite|zustand|@(?:tanstack|tiptap|vitejs)\/.+)$/;

/** The fields that the package's package.json changes. */
export interface Manifest {
  version: string;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  devDependencies?: Record<string, string>;
  files: string[];
}

/** Returns the package's package.json: without what only the clone needs, with its shrinkwrap. */
export function packedManifest(manifest: Manifest, version = manifest.version): Manifest {
  const { devDependencies: _, ...packed } = manifest;
  const served = Object.entries(manifest.dependencies).filter(([name]) => !OF_BUILD.test(name));
  return { ...packed, version, dependencies: Object.fromEntries(served), files: [...manifest.files, SHRINKWRAP] };
}

/** Bundles the server into dist/server, which the package contains beside dist/web. */
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

/** Packs a folder with npm. @returns the file's name, and the paths of its files */
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

/** The content of a lock file or shrinkwrap, by package path; '' is the package itself. */
export interface Lock {
  readonly packages: Readonly<Record<string, Entry>>;
}

/**
 * Makes the shrinkwrap in the manifest's folder: the lock file's entries for its dependencies, on all platforms.
 * Offline, so that npm downloads nothing.
 */
function makeShrinkwrap(folder: string): Lock {
  const path = join(folder, 'package-lock.json');
  copyFileSync(join(ROOT, 'package-lock.json'), path);
  const args = ['install', '--package-lock-only', '--offline', '--ignore-scripts', '--no-audit', '--loglevel=error'];
  npm([...args, '--omit-lockfile-registry-resolved'], folder);
  const lock = JSON.parse(readFileSync(path, 'utf8')) as Lock;
  // The program runs in Node 24, whatever Node runs npm: Node 20 would warn about each package that needs a newer one.
  for (const [at, entry] of Object.entries(lock.packages)) if (at !== '') delete entry.engines;
  rmSync(path);
  writeFileSync(join(folder, SHRINKWRAP), `${JSON.stringify(lock, null, 2)}\n`);
  return lock;
}

/**
 * Copies the dependencies that run on every platform from this clone into the package.
 * npm ignores the shrinkwrap of a package installed from a file (decisions/release).
 */
function copyParts({ packages }: Lock, folder: string): void {
  for (const [path, { version, os, cpu }] of Object.entries(packages)) {
    if (path === '' || os !== undefined || cpu !== undefined) continue;
    const from = join(ROOT, path);
    const { version: installed } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Manifest;
    if (installed !== version)
      throw new Error(`${path} is ${installed}, not ${version} as in the lock file: npm install`);
    // Nested packages have their own entries.
    cpSync(from, join(folder, path), { recursive: true, filter: (file) => !/[\\/]node_modules$/.test(file) });
  }
}

interface Options {
  /** The package's version, if it differs from package.json. */
  readonly version?: string;
  /** Whether to include dependencies. Without them it is packed in seconds, and uses those of the clone. */
  readonly withParts?: boolean;
}

/**
 * Packs the built program.
 * @returns the path of the package in `folder`
 * @throws if npm packed a forbidden file, or this clone's packages differ from the lock file
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

/** Returns the software bill of materials (SBOM, CycloneDX) of an unpacked package. */
export const partsOf = (folder: string): string =>
  npm(['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev', '--package-lock-only'], folder);

// node scripts/pack.ts FOLDER: packs the built client and the server into FOLDER, without parts. The context of the
// Dockerfile has no commits to count: unreleased changes are 1.1.0-dev.0.
if (import.meta.main) {
  const [folder = '.'] = process.argv.slice(2);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  bundleServer();
  pack(folder, {
    version: prereleaseOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version, 0) ?? version,
    withParts: false,
  });
}
