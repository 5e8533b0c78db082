// npm run release: makes a release in release/: package, software bill of materials (SBOM), notes and checksums. Its
// version is that of package.json, or a pre-release of the next one. It publishes nothing. The image is built from the
// commit (Dockerfile), and tried out by `npm run check:image`.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage } from './check-package.ts';
import { bundleServer, pack, partsOf } from './pack.ts';
import { notesOf, prereleaseOf } from './release-version.ts';
import { editedMigrations, newMigrations } from './released-migrations.ts';

const ROOT = join(import.meta.dirname, '..');
const RELEASE = join(ROOT, 'release');

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

/** Writes the package's SBOM, which npm names after the folder. */
function writeSbom(file: string, version: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-sbom-'));
  const unpacked = join(folder, 'kaitaku');
  try {
    run('tar', ['xzf', file, '-C', folder]);
    rmSync(join(folder, 'package/node_modules'), { recursive: true });
    renameSync(join(folder, 'package'), unpacked);
    writeFileSync(join(RELEASE, `kaitaku-${version}.cdx.json`), partsOf(unpacked));
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
  writeSbom(file, version);
  writeFileSync(join(RELEASE, `kaitaku-${version}.md`), notesOf(CHANGELOG, version) ?? '');
  writeSums();
  say(readFileSync(join(RELEASE, 'SHA256SUMS'), 'utf8').trimEnd());
  if (isPrerelease(version)) say(`Kaitaku ${version} is a pre-release: ${mayChange(newMigrations())}`);
} else {
  process.stderr.write(`${found}\n`);
  process.exitCode = 1;
}
